import fc from "fast-check";
import type { Shop } from "./fixtures.ts";
import type { SteppedDatabase } from "./schedule-clock.ts";

// A night and a morning of bookings, some of them made when the zones of the shop had other rules: the time on the wall that was agreed
// is where the clocks show it an hour, or half an hour, from the instant that is stored.
const minute = 60_000;
const halfHour = 30 * minute;

/** Half past midnight in Berlin, half an hour before its clocks jump from two to three; half past four in Tashkent. */
export const eve: number = Date.UTC(2031, 2, 29, 23, 30);

export interface Visit {
  readonly customer: number;
  readonly service: string;
  /** In half hours. */
  readonly start: number;
  readonly quantity: number;
  readonly how: "confirm" | "hold" | "at_checkout";
  /** Made under the other rules. */
  readonly old: boolean;
  readonly cancelled: boolean;
}

export interface Day {
  /** The ids are drawn from it: of two who move to one place, their order decides, and a failing day must fail again. */
  readonly ids: number;
  readonly shiftMinutes: number;
  readonly visits: readonly Visit[];
  /** How long afterwards the rules are looked at. */
  readonly laterMs: number;
}

const services = ["solo", "solo", "any", "long", "class", "class", "hall", "hall", "hall", "pair", "night", "night"];

export const someDay: fc.Arbitrary<Day> = fc.record({
  ids: fc.nat(),
  shiftMinutes: fc.constantFrom(-60, -30, 30, 60),
  visits: fc.array(
    fc.record({
      customer: fc.nat(5),
      service: fc.constantFrom(...services),
      start: fc.integer({ min: 1, max: 9 }),
      quantity: fc.constantFrom(1, 1, 2, 3),
      how: fc.constantFrom("confirm" as const, "confirm" as const, "hold" as const, "at_checkout" as const),
      old: fc.constantFrom(true, true, true, false),
      cancelled: fc.constantFrom(false, false, false, false, false, true),
    }),
    { minLength: 12, maxLength: 32, size: "max" },
  ),
  laterMs: fc.constantFrom(0, 0, 14 * minute, 20 * minute, 45 * minute),
});

const whole = [{ from: "00:00", to: "24:00" }];
const weekly = { saturday: whole, sunday: whole };
const always = (zone: string) => ({ schedule: { zone, weekly }, grid: { stepMinutes: 30, anchor: "window" } }) as const;

export async function furnishDay(shop: Shop): Promise<void> {
  for (const id of ["anna", "boris", "room", "karl"]) await shop.resources.put({ id });
  await shop.resources.put({ id: "hall", kind: "counted", capacity: 3 });
  await shop.resources.put({ id: "masters", kind: "pool", members: ["anna", "boris"], fairness: "least_loaded" });
  const times = always("Asia/Tashkent");
  const put = (
    id: string,
    minutes: number,
    resources: string[],
    more: Partial<Parameters<Shop["services"]["put"]>[0]>,
  ) => shop.services.put({ id, duration: { minutes }, resources, times, ...more });
  // Limits, notice and hours were judged when a time was agreed, and are no reason any more.
  await put("solo", 45, ["anna"], { buffers: { after: { minutes: 15 } }, limits: { perDayPerCustomer: 2 } });
  await put("any", 60, ["masters"], {});
  await put("long", 90, ["masters"], { buffers: { before: { minutes: 15 } } });
  await put("class", 90, ["room"], { session: { capacity: 4 } });
  await put("hall", 60, ["hall"], {});
  await put("pair", 30, ["boris", "room"], {});
  await put("night", 60, ["karl"], { times: always("Europe/Berlin") });
}

/** Makes the bookings of the day, as many as find a place; afterwards the rules of the zones are those of today. */
export async function makeDay(shop: Shop, db: SteppedDatabase, { visits, shiftMinutes }: Day): Promise<void> {
  const old: string[] = [];
  for (const { customer, service, start, quantity, how, old: before, cancelled } of visits) {
    const answer = await shop.reserveSlot({
      customer: `customer-${customer}`,
      service,
      start: new Date(eve + start * halfHour),
      quantity: service === "class" || service === "hall" ? quantity : 1,
      ...(how === "confirm" && { confirm: true }),
      ...(how === "at_checkout" && { claim: "at_checkout", price: { amount: 500, currency: "XTR" } }),
    });
    if (answer.outcome !== "reserved") continue;
    if (cancelled) await shop.cancel({ bookingId: answer.booking.id, administrator: "olga" });
    if (before) old.push(answer.booking.id);
  }
  await db.pool.query(
    `update ${db.schema}.bookings set zone_data = '2000a',
       wall_date = (starts_at at time zone zone + $2::interval)::date,
       wall_time = to_char(starts_at at time zone zone + $2::interval, 'HH24:MI') where id = any ($1)`,
    [old, `${shiftMinutes} minutes`],
  );
}
