// Everything whose answer could depend on the server's own zone, printed as JSON. Run under several TZ.
import { edgeOf, nextTransition, occurrences, startOfDay, toInstant, wallOf } from "../../src/calendar/civil-time.ts";
import {
  calendarEvent,
  checkAnchor,
  countByDay,
  groupByDate,
  labelTime,
  listStarts,
  openTimes,
  timeBefore,
  weeklyStarts,
} from "../../src/calendar/index.ts";
import { daily, every, hours, zones } from "./helpers.ts";
import { probes } from "./probes.ts";

const iso = (instant: number | null): string | null => (instant === null ? null : new Date(instant).toISOString());
const now = "2000-01-01T00:00Z";

const changes = zones.map((zone) => {
  const change = nextTransition(Date.parse("2010-01-01T00:00Z"), zone) ?? Date.parse("2026-03-08T12:00Z");
  const { date } = wallOf(change, zone);
  const from = startOfDay(date, zone);
  const schedule = daily(zone, hours("00:00", "02:30"), hours("09:00", "12:00"), hours("22:00", "00:00"));
  const rules = { schedule, from, to: from + 48 * 3_600_000, now, durationMinutes: 30, notice: { days: 1 } };
  const starts = listStarts({ ...rules, grid: every(30) });
  return {
    zone,
    change: iso(change),
    starts,
    labels: starts.map((start) => labelTime(start, { zone, locale: "ru", showOffset: "always" })),
    open: openTimes({ schedule, from, to: from + 48 * 3_600_000 }),
    groups: groupByDate(starts, "Pacific/Auckland"),
    counts: countByDay(starts, zone),
    before: timeBefore(from + 40 * 3_600_000, { days: 1 }, zone),
  };
});

const results = {
  serverOffset: new Date("2026-07-01T00:00Z").getTimezoneOffset(),
  probes: probes.map(({ wall, zone }) => {
    const [date = "", time = ""] = wall.split(" ");
    const at = { date, time };
    return [
      iso(toInstant(at, zone, "earlier")),
      iso(toInstant(at, zone, "later")),
      iso(edgeOf(at, zone, "first")),
      iso(edgeOf(at, zone, "last")),
      occurrences(at, zone),
    ];
  }),
  changes,
  weekly: weeklyStarts({ zone: "Europe/Paris", date: "2022-03-21", time: "15:00", times: 2 }),
  anchor: checkAnchor({ date: "2024-06-03", time: "10:00", zone: "Asia/Almaty", instant: "2024-06-03T04:00Z" }),
  event: calendarEvent({
    uid: "a@b.example",
    sequence: 0,
    method: "request",
    start: "2026-03-08T07:30Z",
    end: "2026-03-08T08:30Z",
    stamp: now,
    summary: "x",
    organizer: { name: "a", email: "a@b.example" },
  }),
};

process.stdout.write(JSON.stringify(results));
