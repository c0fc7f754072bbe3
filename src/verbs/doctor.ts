import { readZone } from "../calendar/index.ts";
import { isBookonceError } from "../core/error.ts";
import type { Engine } from "../engine/engine.ts";
import { type HealthRows, healthStatement, type Wait, waitsStatement } from "../store/health.ts";
import { instant } from "../store/mapping.ts";
import type { Store } from "../store/store.ts";
import { read } from "./reader.ts";
import { rulesOf } from "./time-rules.ts";

/**
 * Something that makes bots lose time, messages or money (O3). The bot's own side has a doctor in `bookonce/telegram`.
 *
 * - `unreachable`, `not_migrated` (error): nothing else can be looked at.
 * - `clock_shifted` (error): the database's bookonce clock was moved by a test tool and not put back.
 * - `clock_skew` (warning): this machine's clock differs from the database's; decisions use the database's, messages may not.
 * - `no_zone_data` (error): this Node has no time zone data, so no wall time can be converted.
 * - `waiting` (warning): a session waits for a lock for more than a second; `waits` tells for whom.
 * - `events_stale` (warning): notifications have not been delivered for ten minutes; is a worker running? `events_parked`: some were given up.
 * - `refunds_stale` (error): money has been on its way back for an hour. `refunds_attention`, `reviews_open` (warning): a person must look.
 * - `unreadable_times` (error): services, resources or bookings whose times this process cannot read; they are closed, or not reminded of.
 * - `sweep_stale` (info): lapsed holds have not been tidied for an hour; nothing but messages depends on it.
 */
export interface DoctorFinding {
  readonly code:
    | "unreachable"
    | "not_migrated"
    | "clock_shifted"
    | "clock_skew"
    | "no_zone_data"
    | "waiting"
    | "events_stale"
    | "events_parked"
    | "refunds_stale"
    | "refunds_attention"
    | "reviews_open"
    | "unreadable_times"
    | "sweep_stale";
  readonly severity: "error" | "warning" | "info";
  /** What it means, and what to do. */
  readonly message: string;
}

export interface DoctorReport {
  readonly findings: readonly DoctorFinding[];
  /** Who waits for whom right now, and for how long; longest first (B4). */
  readonly waits: readonly Wait[];
  /** No finding is an error or a warning. */
  readonly ok: boolean;
}

const minute = 60_000;

export async function doctor(engine: Engine, store: Store): Promise<DoctorReport> {
  const before = Date.now();
  try {
    const rows = await read<HealthRows>(engine, healthStatement(store.queries));
    return report(findings(rows, (before + Date.now()) / 2), rows.waits);
  } catch (error) {
    if (!isBookonceError(error)) throw error;
    const code = error.code === "not_migrated" ? "not_migrated" : "unreachable";
    return report([{ code, severity: "error", message: error.message }], []);
  }
}

/** Only who waits for whom: quick enough to be asked again and again. */
export function waits(engine: Engine, store: Store): Promise<readonly Wait[]> {
  return read<readonly Wait[]>(engine, waitsStatement(store.queries));
}

function report(found: readonly DoctorFinding[], waiting: readonly Wait[]): DoctorReport {
  return { findings: found, waits: waiting, ok: found.every((finding) => finding.severity === "info") };
}

function findings(rows: HealthRows, here: number): DoctorFinding[] {
  const found: DoctorFinding[] = [];
  const add = (code: DoctorFinding["code"], severity: DoctorFinding["severity"], message: string): void => {
    found.push({ code, severity, message });
  };
  const database = instant(rows.databaseNow);
  const shift = instant(rows.clockNow) - database;
  const skew = here - database;
  const age = (text: string | null): number => (text === null ? 0 : instant(rows.clockNow) - instant(text));

  if (rows.missingMigrations.length > 0)
    add("not_migrated", "error", `Migrations ${rows.missingMigrations.join(", ")} are missing: run migrate().`);
  if (Math.abs(shift) > 1_000)
    add(
      "clock_shifted",
      "error",
      `The bookonce clock is ${seconds(shift)} off PostgreSQL's: a test has moved it. databaseClock(…).reset() puts it back.`,
    );
  if (Math.abs(skew) > 5_000)
    add("clock_skew", "warning", `This machine's clock is ${seconds(skew)} off the database's. Synchronise both.`);
  if ("refused" in readZone("Europe/London"))
    add("no_zone_data", "error", "This Node has no time zone data: use a build with full ICU.");
  else if (unreadable(rows).length > 0)
    add(
      "unreadable_times",
      "error",
      `The times of ${some(unreadable(rows))} cannot be read here: is this Node's zone data (${process.versions["tz"] ?? "unknown"}) or bookonce older than what wrote them?`,
    );
  const longest = rows.waits[0];
  if (longest !== undefined && longest.waitingMs > 1_000) {
    add(
      "waiting",
      "warning",
      `Session ${longest.waitingPid} has waited ${seconds(longest.waitingMs)} for session ${longest.blockingPid} (${longest.blockingState}, transaction open for ${seconds(longest.blockingMs)}).`,
    );
  }
  if (age(rows.oldestUndelivered) > 10 * minute)
    add(
      "events_stale",
      "warning",
      `The oldest notification has waited ${seconds(age(rows.oldestUndelivered))}: does any process call events.run()?`,
    );
  if (rows.parkedEvents > 0)
    add(
      "events_parked",
      "warning",
      `${rows.parkedEvents} notifications were given up: events.parked() tells why, events.replay() sends them again.`,
    );
  if (age(rows.oldestOpenRefund) > 60 * minute)
    add(
      "refunds_stale",
      "error",
      `A refund has been open for ${seconds(age(rows.oldestOpenRefund))}: does any process call refunds.run() for its provider?`,
    );
  if (rows.refundsNeedingAttention > 0)
    add(
      "refunds_attention",
      "warning",
      `${rows.refundsNeedingAttention} refunds need a person: refunds.list({ state: "needs_attention" }).`,
    );
  if (rows.openReviews > 0)
    add("reviews_open", "warning", `${rows.openReviews} payments wait for a person: reviews.list().`);
  if (rows.lapsedUnswept > 0)
    add("sweep_stale", "info", `${rows.lapsedUnswept} lapsed holds were not tidied: does any process call sweep()?`);
  return found;
}

/** What this process cannot make anything of, by name. */
function unreadable({ rules, zones }: HealthRows): string[] {
  const closed = rules.filter((one) => rulesOf(one.rules) === null).map((one) => one.of);
  return [...closed, ...zones.filter((zone) => "refused" in readZone(zone)).map((zone) => `bookings in ${zone}`)];
}

function some(names: readonly string[]): string {
  const more = names.length - 5;
  return more > 0 ? `${names.slice(0, 5).join(", ")} and ${more} more` : names.join(", ");
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
