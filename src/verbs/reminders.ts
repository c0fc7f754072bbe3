import { z } from "zod";
import { isCalendarError, type ReminderOffset, readZone, timeBefore } from "../calendar/index.ts";
import { BookonceError } from "../core/error.ts";
import type { Booking } from "../core/model.ts";
import { type Due, dueReminders, type Planned } from "../core/reminders.ts";
import type { Engine } from "../engine/engine.ts";
import { instant, toBooking } from "../store/mapping.ts";
import { everything, reminderStatements } from "../store/reminders.ts";
import type { Store } from "../store/store.ts";
import type { BookingRow } from "../store/tables.ts";
import { signal as signalSchema } from "./call-options.ts";
import { type Duration, duration, identifier, parseInput } from "./input.ts";
import { read } from "./reader.ts";

/** A kind of reminder and when it is due. "24 hours before" and "1 day before" (on the wall clock) are different things (B13). */
export interface ReminderRule {
  /** Your name for it, such as "day_before": what customers agree to, and what the event carries. */
  readonly kind: string;
  readonly before: ReminderOffset;
  /** Only for these services. Default: for every booking. */
  readonly services?: readonly string[];
  /** How much later than due it is still sent, after a break of the workers. Default one hour; then it is missed. */
  readonly late?: Duration;
}

/** What a customer agreed to or took back, and when. */
export interface Consent {
  /** A kind of reminder, or `"*"` for all of them. */
  readonly topic: string;
  readonly granted: boolean;
  readonly source: string;
  readonly at: Date;
}

/** What a run did. */
export interface ReminderReport {
  /** Written into the outbox: `events.run` delivers them as `reminder_due`. */
  readonly queued: number;
  readonly missed: number;
  /** Bookings in a zone that this process does not know (its zone data may be older): their days before are left to one that does. */
  readonly unreadable: number;
}

/** Reminders: opt-in, with opt-out, and never for what was cancelled or moved (B13). */
export interface Reminders {
  /** The customer wants reminders: of one kind, or of all. `source` says where she said so ("/remind", "terms v3"). */
  optIn(input: { readonly customer: string; readonly kind?: string; readonly source: string }): Promise<void>;
  /** She does not, from this instant: also what is in the outbox already is dropped. */
  optOut(input: { readonly customer: string; readonly kind?: string; readonly source: string }): Promise<void>;
  consents(customer: string): Promise<readonly Consent[]>;
  /** Finds what is due and writes it into the outbox. Run it every minute, in any number of processes. */
  run(options?: { readonly signal?: AbortSignal }): Promise<ReminderReport>;
}

/** {@link ReminderRule}s after checking; lengths in milliseconds. */
export type CheckedRules = readonly {
  readonly kind: string;
  readonly before: ReminderOffset;
  readonly services?: readonly string[] | undefined;
  readonly late: number;
}[];

const rulesSchema: z.ZodType<CheckedRules> = z
  .array(
    z.strictObject({
      kind: identifier.refine((kind) => kind !== everything, "must be a name of its own"),
      before: z.custom<ReminderOffset>((value) => typeof value === "object" && value !== null),
      services: z.array(identifier).min(1).optional(),
      late: duration.default(3_600_000),
    }),
  )
  .max(50)
  .refine((rules) => new Set(rules.map((rule) => rule.kind)).size === rules.length, "must name each kind once");

/** The rules, every problem of them named. */
export function checkReminderRules(rules: readonly ReminderRule[]): CheckedRules {
  const checked = parseInput("reminders", rulesSchema, rules);
  for (const { before } of checked) dueAt(0, before, "UTC");
  return checked;
}

const consentSchema = z.strictObject({
  customer: identifier,
  kind: identifier.default(everything),
  source: identifier,
});
const runSchema = z.strictObject({ signal: signalSchema.optional() });
const page = 500;
const dayMs = 86_400_000;

export function reminders(engine: Engine, store: Store, rules: CheckedRules): Reminders {
  const statements = reminderStatements(store.queries);
  const say = async (verb: string, granted: boolean, input: unknown): Promise<void> => {
    const { customer, kind, source } = parseInput(verb, consentSchema, input);
    await read<null>(engine, statements.setConsent({ customer, topic: kind, granted, source }));
  };
  return {
    optIn: (input) => say("reminders.optIn", true, input),
    optOut: (input) => say("reminders.optOut", false, input),
    async consents(customer) {
      const statement = statements.consents(parseInput("reminders.consents", identifier, customer));
      const rows = await read<(Omit<Consent, "at"> & { at: string })[]>(engine, statement);
      return rows.map((row) => ({ ...row, at: new Date(row.at) }));
    },
    async run(options = {}) {
      const { signal } = parseInput("reminders.run", runSchema, options);
      const report = { queued: 0, missed: 0, unreadable: 0 };
      let after: string | null = null;
      for (;;) {
        const found: Soon = await read<Soon>(
          engine,
          statements.soon({ withinMs: farthest(rules), after, limit: page }),
          signal === undefined ? {} : { signal },
        );
        const looked = found.rows.map((row) => dueOf(row, rules, instant(found.now)));
        report.unreadable += looked.filter(({ unreadable }) => unreadable).length;
        const due = looked.flatMap((one) => one.due);
        if (due.length > 0) {
          const done = await read<Omit<ReminderReport, "unreadable">>(engine, statements.queue(due));
          report.queued += done.queued;
          report.missed += done.missed;
        }
        after = found.rows.at(-1)?.booking.id ?? null;
        if (found.rows.length < page || signal?.aborted === true) return report;
      }
    },
  };
}

interface SoonRow {
  readonly booking: BookingRow;
  readonly since: string;
  readonly done: readonly string[];
  readonly granted: readonly string[];
  readonly refused: readonly string[];
}

interface Soon {
  readonly now: string;
  readonly rows: readonly SoonRow[];
}

function dueOf(
  { booking: row, since, done, granted, refused }: SoonRow,
  rules: CheckedRules,
  now: number,
): { readonly due: readonly Due[]; readonly unreadable: boolean } {
  const booking = toBooking(row);
  const agrees = (kind: string): boolean =>
    granted.includes(kind) || (granted.includes(everything) && !refused.includes(kind));
  const planned = rules
    .filter(({ kind, services }) => agrees(kind) && (services?.includes(booking.service ?? "") ?? true))
    .map((rule) => plan(booking, rule));
  const readable = planned.filter((one) => one !== null);
  return {
    due: dueReminders(booking, readable, done, instant(since), now),
    unreadable: readable.length < planned.length,
  };
}

/** Null: days are those of the booking's zone, and this process does not know it. Hours are the same everywhere. */
function plan({ interval, anchor }: Booking, { kind, before, late }: CheckedRules[number]): Planned | null {
  const zone = "days" in before ? (anchor?.zone ?? "UTC") : "UTC";
  if ("refused" in readZone(zone)) return null;
  return { kind, dueAt: dueAt(interval.start, before, zone), lateMs: late };
}

function dueAt(start: number, before: ReminderOffset, zone: string): number {
  try {
    return timeBefore(start === 0 ? dayMs * 1_000 : start, before, zone).getTime();
  } catch (error) {
    if (!isCalendarError(error)) throw error;
    throw new BookonceError("invalid_input", `reminders: ${error.message}`, { problems: error.problems, cause: error });
  }
}

/** How far ahead a booking can be and have a reminder due; two days more for whatever clocks do. */
function farthest(rules: CheckedRules): number {
  const lengths = rules.map(({ before }) => dayMs * 1_000 - dueAt(0, before, "UTC"));
  return Math.max(0, ...lengths) + 2 * dayMs;
}
