import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { digestOf, historyOf, hour, minute, receipt, tally, unique } from "../../support/fixtures.ts";
import { ask, at, have, stopClock, takenAt } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.clock.reset());
afterAll(() => db.drop());

const price = { amount: 50, currency: "XTR" };
const resource = async () => (await db.bookonce.resources.put({ id: unique("anna") })).id;
const unknown = { outcome: "refused", reason: "unknown_booking" };

describe("confirm", () => {
  test("R43: a booking with a price is not confirmed by asking, however often it is booked again; the invoice stays due", async () => {
    const asked = { customer: unique("g1"), resources: [await resource()], start: at(10), price };
    const booking = await have(db.bookonce, asked);
    expect(await ask(db.bookonce, asked)).toMatchObject({
      outcome: "existing",
      booking: { id: booking.id, amountDue: price },
    });
    const before = await digestOf(db);
    expect(await db.bookonce.confirm({ bookingId: booking.id, customer: booking.customer })).toMatchObject({
      outcome: "refused",
      reason: "payment_required",
      due: price,
      booking: { state: "held" },
    });
    expect(await digestOf(db)).toBe(before);
  });

  test("a free hold is confirmed by its owner, once, and stays when the hold would have ended", async () => {
    const booking = await have(db.bookonce, { resources: [await resource()], start: at(10) });
    const confirm = () => db.bookonce.confirm({ bookingId: booking.id, customer: booking.customer });
    expect(await tally([confirm(), confirm()])).toEqual({ confirmed: 1, already_confirmed: 1 });
    expect(await historyOf(db.bookonce, booking)).toEqual(["booking_reserved", "booking_confirmed"]);
    await db.clock.advance(hour);
    expect(await takenAt(db.bookonce, booking.resources[0] ?? "", 10)).toBe(1);
    expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "confirmed", version: 2 });
  });

  test("an administrator confirms what is paid at the place, and is recorded; a charge that still comes is surplus money", async () => {
    const booking = await have(db.bookonce, { resources: [await resource()], start: at(10), price });
    expect(await db.bookonce.confirm({ bookingId: booking.id, administrator: "olga" })).toMatchObject({
      outcome: "confirmed",
      booking: { state: "confirmed", amountDue: null },
    });
    expect((await db.bookonce.bookings.history(booking.id)).at(-1)).toMatchObject({ actor: "olga" });
    expect((await receipt(db.bookonce, booking)).outcome).not.toBe("not_ours");
    expect(await db.bookonce.audit()).toMatchObject({ ok: true });
  });

  test("a lapsed hold, a cancelled booking, one that claims nothing, a stranger's and an unknown one are refused, and nothing is written", async () => {
    const lapsed = await have(db.bookonce, { resources: [await resource()], start: at(10) });
    const cancelled = await have(db.bookonce, { resources: [await resource()], start: at(10) });
    await db.bookonce.cancel({ bookingId: cancelled.id, customer: cancelled.customer });
    const claim = "at_checkout";
    const pending = await have(db.bookonce, { resources: [await resource()], start: at(10), price, claim });
    await db.clock.advance(15 * minute);
    const before = await digestOf(db);
    const confirm = (bookingId: string, who: object) => db.bookonce.confirm({ bookingId, ...who });
    expect(await confirm(lapsed.id, { customer: lapsed.customer })).toMatchObject({ reason: "hold_lapsed" });
    expect(await confirm(cancelled.id, { administrator: "olga" })).toMatchObject({ reason: "cancelled" });
    expect(await confirm(pending.id, { administrator: "olga" })).toMatchObject({ reason: "not_held" });
    expect(await confirm(pending.id, { customer: pending.customer })).toMatchObject({ reason: "payment_required" });
    expect(await confirm(pending.id, { customer: "a stranger" })).toEqual(unknown);
    expect(await confirm(crypto.randomUUID(), { administrator: "olga" })).toEqual(unknown);
    expect(await digestOf(db)).toBe(before);
  });
});

describe("transfer", () => {
  test("R36: on a sold-out evening a booking changes hands: no place is taken or freed, and the history has both names", async () => {
    const hall = (await db.bookonce.resources.put({ id: unique("hall"), kind: "counted", capacity: 1 })).id;
    const [first, second] = [unique("g1"), unique("g2")];
    const held = await have(db.bookonce, { customer: first, resources: [hall], start: at(10), price });
    await receipt(db.bookonce, held);
    expect(await ask(db.bookonce, { resources: [hall], start: at(10) })).toMatchObject({ reason: "no_capacity" });
    expect(await db.bookonce.transfer({ bookingId: held.id, customer: first, to: second })).toMatchObject({
      outcome: "transferred",
      booking: { id: held.id, customer: second, state: "confirmed", version: 3 },
    });
    expect(await takenAt(db.bookonce, hall, 10)).toBe(1);
    expect((await db.bookonce.bookings.history(held.id)).at(-1)).toMatchObject({
      type: "booking_transferred",
      actor: first,
      data: { from: first, to: second },
    });
    expect(await db.bookonce.cancel({ bookingId: held.id, customer: first })).toEqual(unknown);
    expect(await db.bookonce.bookings.ofCustomer(second)).toMatchObject([{ id: held.id }]);
    // The money goes back to who paid.
    expect(await db.bookonce.cancel({ bookingId: held.id, customer: second })).toMatchObject({
      outcome: "cancelled",
      refund: { amount: 50 },
    });
    expect(await db.bookonce.audit()).toMatchObject({ ok: true });
  });

  test("R36: the request id stays with who asked: the same request again makes a booking of her own, or is refused the place", async () => {
    const asked = { customer: unique("g1"), resources: [await resource()], start: at(10), requestId: unique("r") };
    const booking = await have(db.bookonce, { ...asked, confirm: true });
    await db.bookonce.transfer({ bookingId: booking.id, customer: asked.customer, to: unique("g2") });
    expect(await ask(db.bookonce, { ...asked, confirm: true })).toMatchObject({ reason: "slot_taken" });
  });

  test("a hold, an attended one, a stranger's and an unknown one are refused, to herself is unchanged, and nothing is written", async () => {
    const held = await have(db.bookonce, { resources: [await resource()], start: at(10) });
    const mine = await have(db.bookonce, { resources: [await resource()], start: at(10), confirm: true });
    const attended = await have(db.bookonce, { resources: [await resource()], start: at(10), confirm: true });
    await db.bookonce.checkIn({ bookingId: attended.id, actor: "door" });
    const before = await digestOf(db);
    const give = (bookingId: string, who: object, to = "g2") => db.bookonce.transfer({ bookingId, to, ...who });
    expect(await give(held.id, { customer: held.customer })).toEqual({ outcome: "refused", reason: "not_confirmed" });
    expect(await give(attended.id, { administrator: "olga" })).toEqual({ outcome: "refused", reason: "attended" });
    expect(await give(mine.id, { customer: "a stranger" })).toEqual(unknown);
    expect(await give(crypto.randomUUID(), { administrator: "olga" })).toEqual(unknown);
    expect(await give(mine.id, { customer: mine.customer }, mine.customer)).toMatchObject({ outcome: "unchanged" });
    expect(await digestOf(db)).toBe(before);
  });
});

describe("checkIn and markNoShow", () => {
  test("nobody is a no-show before the start; from that instant on she is; a mistake is put right", async () => {
    const booking = await have(db.bookonce, { resources: [await resource()], start: at(10), confirm: true });
    const asked = { bookingId: booking.id, actor: "door" };
    await stopClock(db, new Date(at(10).getTime() - 1).toISOString());
    expect(await db.bookonce.markNoShow(asked)).toEqual({ outcome: "refused", reason: "too_early" });
    await stopClock(db, at(10).toISOString());
    expect(await db.bookonce.markNoShow(asked)).toMatchObject({
      outcome: "marked",
      booking: { attendance: "no_show" },
    });
    expect(await db.bookonce.markNoShow(asked)).toMatchObject({ outcome: "already_marked" });
    expect(await db.bookonce.checkIn(asked)).toMatchObject({ outcome: "marked", booking: { attendance: "attended" } });
    expect(await historyOf(db.bookonce, booking)).toEqual(["booking_confirmed", "booking_no_show", "booking_attended"]);
  });

  test("who comes early is let in; a hold and an unknown booking are not marked", async () => {
    const booking = await have(db.bookonce, { resources: [await resource()], start: at(10), confirm: true });
    expect(await db.bookonce.checkIn({ bookingId: booking.id, actor: "door" })).toMatchObject({ outcome: "marked" });
    const held = await have(db.bookonce, { resources: [await resource()], start: at(10) });
    expect(await db.bookonce.checkIn({ bookingId: held.id, actor: "door" })).toEqual({
      outcome: "refused",
      reason: "not_confirmed",
    });
    expect(await db.bookonce.checkIn({ bookingId: crypto.randomUUID(), actor: "door" })).toEqual(unknown);
  });
});

describe("B11: who held it", () => {
  test("who holds 10:00 now, and who held it at any instant before; buffers count; touching ends do not", async () => {
    await stopClock(db, "2031-01-05T14:00:00Z");
    const anna = await resource();
    const buffers = { after: { minutes: 30 } };
    const first = await have(db.bookonce, { resources: [anna], start: at(10), buffers, hold: { minutes: 10 } });
    await stopClock(db, "2031-01-05T14:30:00Z");
    const second = await have(db.bookonce, { resources: [anna], start: at(10), confirm: true });
    await stopClock(db, "2031-01-05T15:00:00Z");
    await db.bookonce.reschedule({ bookingId: second.id, customer: second.customer, start: at(20) });
    const held = async (asOf?: string, hours = 10) =>
      (await db.bookonce.bookings.holders({ resource: anna, at: at(hours), ...(asOf && { asOf }) })).map(
        ({ customer }) => customer,
      );
    expect(await held("2031-01-05T13:59:59Z")).toEqual([]);
    expect(await held("2031-01-05T14:03:00Z")).toEqual([first.customer]);
    expect(await held("2031-01-05T14:03:00Z", 11.25)).toEqual([first.customer]);
    expect(await held("2031-01-05T14:03:00Z", 11.5)).toEqual([]);
    expect(await held("2031-01-05T14:10:00Z")).toEqual([]);
    expect(await held("2031-01-05T14:30:00Z")).toEqual([second.customer]);
    expect(await held("2031-01-05T15:00:00Z")).toEqual([]);
    expect(await held()).toEqual([]);
    expect(await held(undefined, 20)).toEqual([second.customer]);
  });

  test("a seat transferred later is shown under who has it, and its history says who had it before", async () => {
    const anna = await resource();
    const booking = await have(db.bookonce, { resources: [anna], start: at(10), confirm: true });
    await db.bookonce.transfer({ bookingId: booking.id, administrator: "olga", to: "g2" });
    expect(await db.bookonce.bookings.holders({ resource: anna, at: at(10) })).toMatchObject([
      { customer: "g2", until: null },
    ]);
    expect((await db.bookonce.bookings.history(booking.id)).at(-1)?.data).toEqual({ from: booking.customer, to: "g2" });
  });
});
