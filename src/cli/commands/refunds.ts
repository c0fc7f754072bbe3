import { type Command, Option } from "commander";
import type { RefundView } from "../../verbs/views.ts";
import type { Session } from "../session.ts";
import { at, type Column, green, money, table } from "../text.ts";

const states = [
  "pending",
  "sending",
  "unconfirmed",
  "completed",
  "needs_attention",
] as const satisfies RefundView["state"][];

const columns: readonly Column<RefundView>[] = [
  ["refund", ({ id }) => id],
  ["state", ({ state }) => state],
  ["amount", money],
  ["reason", ({ reason }) => reason],
  ["requested", ({ requestedAt }) => at(requestedAt)],
  ["attempts", ({ attempts }) => String(attempts)],
  ["last error or note", ({ lastError, note }) => lastError ?? note],
];

export function addRefundCommands(program: Command, session: Session): void {
  const refunds = program.command("refunds").description("money on its way back");

  refunds
    .command("list")
    .description("refunds that are not completed, oldest first, 100 at most")
    .addOption(new Option("--state <state>", "only those in this state").choices(states))
    .action(async ({ state }: { readonly state?: RefundView["state"] }) => {
      const bookonce = await session.connect();
      const found = await bookonce.refunds.list(state === undefined ? {} : { state });
      session.print(found, (rows) => table(rows, columns, "No refund is waiting."));
    });

  refunds
    .command("resolve <refund-id>")
    .description("the money was returned by hand: close the refund")
    .requiredOption("--note <text>", "how it was returned, for the books")
    .option("--actor <name>", "who returned it", session.actor)
    .action(async (refundId: string, { note, actor }: { readonly note: string; readonly actor: string }) => {
      const bookonce = await session.connect();
      session.print(await bookonce.refunds.resolve({ refundId, actor, note }), describe);
    });

  refunds
    .command("retry <refund-id>")
    .description("give a refund that needs attention back to the workers, where its provider has a refund call")
    .option("--actor <name>", "who decided so", session.actor)
    .action(async (refundId: string, { actor }: { readonly actor: string }) => {
      const bookonce = await session.connect();
      session.print(await bookonce.refunds.retry({ refundId, actor }), describe);
    });
}

function describe(refund: RefundView): string {
  return `${green(refund.state)} ${money(refund)}, refund ${refund.id}`;
}
