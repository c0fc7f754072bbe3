import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { digestOf, minute, unique } from "../../support/fixtures.ts";
import { aService, at, daily, have } from "./support.ts";

// B10
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.clock.reset());
afterAll(() => db.drop());

const price = { amount: 500, currency: "XTR" };
const resource = async () => (await db.bookonce.resources.put({ id: unique("anna") })).id;
const move = (booking: { id: string; customer: string }, over: object) =>
  db.bookonce.reschedule({ bookingId: booking.id, customer: booking.customer, ...over });

/** A service that is open from ten until three: nothing in it can be longer than 300 minutes. */
const fiveHours = () => aService(db.bookonce, { times: daily("10:00", "15:00") });

describe("B10: refused, and byte for byte as it was", () => {
  const cases: Record<string, () => Promise<{ attempt: () => Promise<object>; answer: object }>> = {
    "the new time is somebody else's": async () => {
      const anna = await resource();
      const booking = await have(db.bookonce, { resources: [anna], start: at(10) });
      await have(db.bookonce, { resources: [anna], start: at(12) });
      return { attempt: () => move(booking, { start: at(11.5) }), answer: { reason: "slot_taken", resource: anna } };
    },
    "R68: a longer time runs into the next booking": async () => {
      const anna = await resource();
      const booking = await have(db.bookonce, { resources: [anna], start: at(10), end: at(12) });
      await have(db.bookonce, { resources: [anna], start: at(12), end: at(14) });
      return {
        attempt: () => move(booking, { duration: { hours: 3 } }),
        answer: { reason: "slot_taken", resource: anna },
      };
    },
    "R68: a longer time is a minute more than the 300 that there are": async () => {
      const booking = await have(db.bookonce, { service: await fiveHours(), start: at(10) });
      return {
        attempt: () => move(booking, { duration: { minutes: 301 } }),
        answer: { reason: "closed", because: "runs_past_closing", resource: null },
      };
    },
    "the new time is closed": async () => {
      const schedule = { zone: "UTC", weekly: { monday: [{ from: "10:00", to: "14:00" }] } };
      const service = await aService(db.bookonce, { times: { schedule } });
      const booking = await have(db.bookonce, { service, start: at(10) });
      return {
        attempt: () => move(booking, { start: at(13.5) }),
        answer: { reason: "closed", because: "runs_past_closing", resource: null },
      };
    },
    "the new time has passed": async () => {
      const booking = await have(db.bookonce, { resources: [await resource()], start: at(10) });
      return { attempt: () => move(booking, { start: new Date(0) }), answer: { reason: "in_past" } };
    },
    "another resource is unknown": async () => {
      const booking = await have(db.bookonce, { resources: [await resource()], start: at(10) });
      return {
        attempt: () => move(booking, { resources: ["nobody at all"] }),
        answer: { reason: "unknown_resource", resource: "nobody at all" },
      };
    },
    "the new time costs more": async () => {
      const booking = await have(db.bookonce, { resources: [await resource()], start: at(10), price });
      const more = { amount: 700, currency: "XTR" };
      return {
        attempt: () => move(booking, { start: at(12), price: more }),
        answer: { reason: "price_differs", agreed: price, asked: more },
      };
    },
    "the new time is free of charge": async () => {
      const booking = await have(db.bookonce, { resources: [await resource()], start: at(10), price });
      return {
        attempt: () => move(booking, { start: at(12), price: null }),
        answer: { reason: "price_differs", agreed: price, asked: null },
      };
    },
    "it is somebody else's booking": async () => {
      const booking = await have(db.bookonce, { resources: [await resource()], start: at(10) });
      return {
        attempt: () => move({ ...booking, customer: "a stranger" }, { start: at(12) }),
        answer: { reason: "unknown_booking" },
      };
    },
    "there is no such booking": async () => ({
      attempt: () => move({ id: crypto.randomUUID(), customer: "c" }, { start: at(12) }),
      answer: { reason: "unknown_booking" },
    }),
    "it was cancelled": async () => {
      const booking = await have(db.bookonce, { resources: [await resource()], start: at(10) });
      await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
      return { attempt: () => move(booking, { start: at(12) }), answer: { reason: "cancelled" } };
    },
    "its hold is over": async () => {
      const booking = await have(db.bookonce, { resources: [await resource()], start: at(10) });
      await db.clock.advance(15 * minute);
      return { attempt: () => move(booking, { start: at(12) }), answer: { reason: "hold_lapsed" } };
    },
    "it was attended": async () => {
      const booking = await have(db.bookonce, { resources: [await resource()], start: at(10), confirm: true });
      await db.bookonce.checkIn({ bookingId: booking.id, actor: "door" });
      return { attempt: () => move(booking, { start: at(12) }), answer: { reason: "attended" } };
    },
  };
  test.each(Object.entries(cases))("%s", async (_, prepare) => {
    const { attempt, answer } = await prepare();
    const before = await digestOf(db);
    expect(await attempt()).toEqual({ outcome: "refused", ...answer });
    expect(await digestOf(db)).toBe(before);
  });
});

test("R68: a time made as long as the 300 minutes that there are is moved, and the longest that can be booked is a year", async () => {
  const booking = await have(db.bookonce, { service: await fiveHours(), start: at(10) });
  expect(await move(booking, { duration: { minutes: 300 } })).toMatchObject({
    outcome: "rescheduled",
    booking: { start: at(10), end: at(15), version: 2 },
  });
  const long = await have(db.bookonce, { resources: [await resource()], start: at(10) });
  const year = 366 * 24 * 60;
  const before = await digestOf(db);
  await expect(move(long, { duration: { minutes: year, milliseconds: 1 } })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("must be a year at most"),
  });
  expect(await digestOf(db)).toBe(before);
  expect(await move(long, { duration: { minutes: year } })).toMatchObject({ outcome: "rescheduled" });
});

test("O6: malformed input is refused with every problem named", async () => {
  await expect(db.bookonce.reschedule({ bookingId: "x", customer: "c", administrator: "a" })).rejects.toMatchObject({
    code: "invalid_input",
  });
  await expect(db.bookonce.reschedule({ bookingId: crypto.randomUUID(), customer: "c" })).rejects.toThrow(
    "give what shall change",
  );
});
