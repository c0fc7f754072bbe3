import type { Command } from "commander";
import type { ReviewOutcome } from "../../verbs/reviews.ts";
import type { PaymentView } from "../../verbs/views.ts";
import type { Session } from "../session.ts";
import { at, type Column, green, money, table, yellow } from "../text.ts";

const columns: readonly Column<PaymentView>[] = [
  ["payment", ({ id }) => id],
  ["why", ({ disposition, reason }) => (reason === null ? disposition : `${disposition}: ${reason}`)],
  ["amount", money],
  ["payer", ({ payer }) => payer],
  ["charge", ({ provider, chargeId }) => `${provider} ${chargeId}`],
  ["received", ({ receivedAt }) => at(receivedAt)],
  ["booking", ({ bookingId }) => bookingId],
];

interface Options {
  readonly note?: string;
  readonly actor: string;
}

export function addReviewCommands(program: Command, session: Session): void {
  const reviews = program.command("reviews").description("payments that a person must look at");

  const settle = (outcome: ReviewOutcome): void => {
    session.inOrder = outcome.outcome !== "refused";
    session.print(outcome, describe);
  };

  reviews
    .command("list")
    .description("open ones, oldest first, 100 at most")
    .action(async () => {
      const bookonce = await session.connect();
      session.print(await bookonce.reviews.list(), (rows) => table(rows, columns, "No payment waits for a person."));
    });

  reviews
    .command("refund <payment-id>")
    .description("return the money")
    .option("--note <text>", "why, for the books")
    .option("--actor <name>", "who decided so", session.actor)
    .action(async (paymentId: string, options: Options) => {
      const bookonce = await session.connect();
      settle(await bookonce.reviews.refund({ paymentId, ...options }));
    });

  reviews
    .command("attach <payment-id> <booking-id>")
    .description("it belongs to this booking: confirm the booking, if its slot is free")
    .option("--note <text>", "why, for the books")
    .option("--actor <name>", "who decided so", session.actor)
    .action(async (paymentId: string, bookingId: string, options: Options) => {
      const bookonce = await session.connect();
      settle(await bookonce.reviews.attach({ paymentId, bookingId, ...options }));
    });

  reviews
    .command("close <payment-id>")
    .description("it was settled elsewhere: keep only the note")
    .requiredOption("--note <text>", "how it was settled, for the books")
    .option("--actor <name>", "who decided so", session.actor)
    .action(async (paymentId: string, options: Options & { readonly note: string }) => {
      const bookonce = await session.connect();
      settle(await bookonce.reviews.close({ paymentId, ...options }));
    });
}

function describe(outcome: ReviewOutcome): string {
  switch (outcome.outcome) {
    case "refused":
      return `${yellow("refused")}: ${outcome.reason}`;
    case "refund_queued":
      return outcome.refund.state === "needs_attention"
        ? `${yellow("to be returned by hand")}: ${money(outcome.refund)}, refund ${outcome.refund.id}\n  ${outcome.refund.note}`
        : `${green("refund queued")}: ${money(outcome.refund)}, refund ${outcome.refund.id}`;
    case "attached":
      return `${green("attached")}: booking ${outcome.booking.id} is ${outcome.booking.state}`;
    case "closed":
      return `${green("closed")}: payment ${outcome.payment.id}`;
  }
}
