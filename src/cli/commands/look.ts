import type { Command } from "commander";
import type { HistoryEntry, Holder } from "../../verbs/bookings.ts";
import type { DoctorReport } from "../../verbs/doctor.ts";
import type { Session } from "../session.ts";
import { at, bold, type Column, dim, green, red, table, yellow } from "../text.ts";

/** Looking into it: what is wrong, who waits for whom, who has a time, and what happened to a booking. */
export function addLookCommands(program: Command, session: Session): void {
  program
    .command("doctor")
    .description(
      "say what makes bots lose time, messages or money, and who waits for whom; exits with 1 when something is wrong",
    )
    .action(async () => {
      const bookonce = await session.connect();
      const report = await bookonce.doctor();
      session.inOrder = report.ok;
      session.print(report, describeDoctor);
    });

  program
    .command("holders <resource>")
    .description("who has a resource at a moment, buffers included; it names customers")
    .requiredOption("--at <instant>", "the moment, such as 2027-03-01T15:00:00Z")
    .option("--as-of <instant>", "as it stood at this instant, instead of now")
    .action(async (resource: string, { at: moment, asOf }: { readonly at: string; readonly asOf?: string }) => {
      const bookonce = await session.connect();
      const found = await bookonce.bookings.holders({ resource, at: moment, ...(asOf !== undefined && { asOf }) });
      session.print(found, (rows) => table(rows, holderColumns, "Nobody."));
    });

  program
    .command("history <booking-id>")
    .description("everything that happened to a booking, in order: who, what, when")
    .action(async (bookingId: string) => {
      const bookonce = await session.connect();
      const entries = await bookonce.bookings.history(bookingId);
      session.print(entries, (rows) => table(rows, historyColumns, "No such booking."));
    });
}

const severities = { error: red, warning: yellow, info: dim } as const;

function describeDoctor({ findings, waits, ok }: DoctorReport): string {
  const found = findings.map(
    ({ severity, code, message }) => `${severities[severity](severity)} ${bold(code)}: ${message}`,
  );
  const verdict = ok ? [green("Nothing is wrong.")] : [];
  const waiting = waits.length === 0 ? [] : ["", table(waits, waitColumns, "")];
  return [...found, ...verdict, ...waiting].join("\n");
}

const waitColumns: readonly Column<DoctorReport["waits"][number]>[] = [
  ["session", ({ waitingPid }) => String(waitingPid)],
  ["waits since", ({ waitingMs }) => `${(waitingMs / 1_000).toFixed(1)} s`],
  ["for session", ({ blockingPid }) => String(blockingPid)],
  ["which is", ({ blockingState }) => blockingState],
  ["open since", ({ blockingMs }) => `${(blockingMs / 1_000).toFixed(1)} s`],
  ["application", ({ blockingApplication }) => blockingApplication || null],
  ["its last statement", ({ blockingQuery }) => oneLine(blockingQuery)],
];

function oneLine(query: string): string {
  const line = query.replaceAll(/\s+/g, " ").trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

const holderColumns: readonly Column<Holder>[] = [
  ["booking", ({ bookingId }) => bookingId],
  ["customer", ({ customer }) => customer],
  ["places", ({ quantity }) => String(quantity)],
  ["from", ({ start }) => at(start)],
  ["to", ({ end }) => at(end)],
  ["since", ({ since }) => at(since)],
  ["until", ({ until }) => (until === null ? null : at(until))],
];

const historyColumns: readonly Column<HistoryEntry>[] = [
  ["at", (entry) => at(entry.at)],
  ["what", ({ type }) => type],
  ["who", ({ actor }) => actor],
  ["version", ({ version }) => (version === null ? null : String(version))],
  ["details", ({ data }) => JSON.stringify(data)],
];
