import type { Command } from "commander";
import type { AuditReport } from "../../verbs/audit.ts";
import type { Session } from "../session.ts";
import { bold, green, red, table } from "../text.ts";

export function addCareCommands(program: Command, session: Session): void {
  program
    .command("audit")
    .description("say where every payment is; exits with 1 when something is not as it must be")
    .action(async () => {
      const bookonce = await session.connect();
      const report = await bookonce.audit();
      session.inOrder = report.ok;
      session.print(report, describeAudit);
    });

  program
    .command("sweep")
    .description("write down which holds and invoices have lapsed, so that customers are told")
    .action(async () => {
      const bookonce = await session.connect();
      session.print(
        await bookonce.sweep(),
        ({ expired }) => `${expired} lapsed ${expired === 1 ? "booking" : "bookings"} written down.`,
      );
    });
}

function describeAudit({ payments, amounts, problems, ok }: AuditReport): string {
  const currencies = Object.keys(amounts);
  const places = Object.entries(payments).map(([place, count]) => ({
    place: place as keyof AuditReport["payments"],
    count,
  }));
  const lines = [
    table(
      places,
      [
        ["place", ({ place }) => place],
        ["payments", ({ count }) => String(count)],
        ...currencies.map(
          (currency) =>
            [currency, ({ place }: (typeof places)[number]) => String(amounts[currency]?.[place] ?? 0)] as const,
        ),
      ],
      "",
    ),
    "",
  ];
  if (ok) return [...lines, green("Every payment is accounted for.")].join("\n");
  const rows = table(
    problems,
    [
      ["problem", ({ problem }) => problem],
      ["id", ({ id }) => id],
    ],
    "",
  );
  return [
    ...lines,
    red(bold(`${problems.length} ${problems.length === 1 ? "thing is" : "things are"} not as they must be:`)),
    rows,
  ].join("\n");
}
