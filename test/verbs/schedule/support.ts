import type { BookingView, ReserveSlotInput, ReserveSlotOutcome, ServiceInput, Slot } from "bookonce";
import { expect } from "vitest";
import type { TestDatabase } from "../../support/database.ts";
import { minute, type Shop, unique } from "../../support/fixtures.ts";

/** Stops the clock of all decisions at an instant, so that cases can name their dates. `db.clock.reset()` lets it run again. */
export async function stopClock(db: TestDatabase, instant: string): Promise<void> {
  await db.pool.query(
    `create or replace function ${db.schema}.clock() returns timestamptz language sql volatile parallel restricted
     as $$ select timestamptz '${new Date(instant).toISOString()}' $$`,
  );
}

/** Open day and night, every day, in a zone: a start every `stepMinutes`. */
export function always(zone = "UTC", stepMinutes = 60): NonNullable<ServiceInput["times"]> {
  const whole = [{ from: "00:00", to: "24:00" }];
  const weekly = {
    monday: whole,
    tuesday: whole,
    wednesday: whole,
    thursday: whole,
    friday: whole,
    saturday: whole,
    sunday: whole,
  };
  return { schedule: { zone, weekly }, grid: { stepMinutes, anchor: "window" } };
}

/** Open so long every day. */
export function daily(from: string, to: string, zone = "UTC", stepMinutes = 60): NonNullable<ServiceInput["times"]> {
  const weekly = Object.fromEntries(Object.keys(always().schedule.weekly ?? {}).map((name) => [name, [{ from, to }]]));
  return { schedule: { zone, weekly }, grid: { stepMinutes, anchor: "window" } };
}

export async function aService(shop: Shop, over: Partial<ServiceInput> = {}): Promise<string> {
  const resources = over.resources ?? [(await shop.resources.put({ id: unique("anna") })).id];
  const service = { id: unique("service"), duration: { minutes: 60 }, times: always(), ...over, resources };
  return (await shop.services.put(service)).id;
}

/** An hour of something for somebody new, unless told otherwise. */
export function ask(
  shop: Shop,
  over: Partial<ReserveSlotInput> & { start: Date | string },
): Promise<ReserveSlotOutcome> {
  const length = over.service === undefined && over.end === undefined ? { duration: { minutes: 60 } } : {};
  return shop.reserveSlot({ customer: unique("customer"), ...length, ...over });
}

/** The same where nothing may refuse. */
export async function have(
  shop: Shop,
  over: Partial<ReserveSlotInput> & { start: Date | string },
): Promise<BookingView> {
  const outcome = await ask(shop, over);
  if (outcome.outcome !== "reserved") throw new Error(`not reserved: ${JSON.stringify(outcome)}`);
  return outcome.booking;
}

/** Starts as "HH:mm" in UTC. */
export function clockTimes(slots: readonly Slot[]): string[] {
  return slots.map((slot) => slot.start.toISOString().slice(11, 16));
}

/** A whole hour of 2031-01-06, a Monday, in UTC; hours beyond 24 are on the days after. */
export function at(hours: number): Date {
  return new Date(Date.UTC(2031, 0, 6) + hours * 3_600_000);
}

export function span(from: number, to: number): { from: Date; to: Date } {
  return { from: at(from), to: at(to) };
}

/** What is taken of a resource at the hour. */
export async function takenAt(shop: Shop, resource: string, hours: number): Promise<number> {
  const holders = await shop.bookings.holders({ resource, at: at(hours) });
  return holders.reduce((sum, { quantity }) => sum + quantity, 0);
}

/** What the list, the explanation and the claim say of a start must be one thing (B16). */
export async function verdict(shop: Shop, service: string, start: Date | string, customer = unique("customer")) {
  const explained = await shop.slots.explain({ service, start, customer });
  const from = new Date(start);
  const range = { from, to: new Date(from.getTime() + minute) };
  const listed = (await shop.slots.find({ service, customer, ...range })).length === 1;
  expect(listed, "listed").toBe(explained.claimable);
  const claimed = await shop.reserveSlot({ service, start, customer, price: null });
  if (claimed.outcome !== "refused") {
    expect(explained.claimable).toBe(true);
    await shop.cancel({ bookingId: claimed.booking.id, customer });
    return "free";
  }
  const { outcome: _, ...refused } = claimed;
  expect(explained).toEqual({ claimable: false, refused });
  return claimed.reason;
}
