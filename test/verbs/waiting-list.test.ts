import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { at, entry, hour, minute, offering, offerOf, said, sold, statesOf, ten, waits } from "../support/waiting.ts";

// B12: a freed place is offered to one person at a time, as a hold that expires.
let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const accept = (booking: { readonly id: string; readonly customer: string }) =>
  db.bookonce.confirm({ bookingId: booking.id, customer: booking.customer });
const cancel = (booking: { readonly id: string; readonly customer: string }) =>
  db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });

describe("B12: an offer", () => {
  test("goes to the first in line before cancel answers, as a hold of fifteen minutes that nobody else can have", async () => {
    const service = await offering(db.bookonce, "cut", { price: 300 });
    const booking = await sold(db.bookonce, service, "owner");
    const [w1, w2] = [await waits(db.bookonce, service, "w1"), await waits(db.bookonce, service, "w2")];
    expect(await db.bookonce.waitlist.tick()).toMatchObject({ offered: 0 });
    await cancel(booking);
    const offer = await offerOf(db.bookonce, w1);
    expect(offer).toMatchObject({
      customer: "w1",
      payer: "w1",
      state: "held",
      service,
      start: ten,
      price: { amount: 300, currency: "XTR" },
      amountDue: { amount: 300, currency: "XTR" },
      waitlistEntryId: w1.id,
    });
    expect((offer.holdExpiresAt?.getTime() ?? 0) - offer.createdAt.getTime()).toBe(15 * minute);
    expect(await statesOf(db.bookonce, [w1, w2])).toEqual(["offered", "waiting"]);
    expect(await db.bookonce.reserveSlot({ customer: "stranger", service, start: ten })).toMatchObject({
      reason: "slot_taken",
    });
    expect((await db.bookonce.bookings.history(offer.id)).map((one) => one.type)).toEqual(["waitlist_offered"]);
  });

  test("is accepted by paying it", async () => {
    const service = await offering(db.bookonce, "cut", { price: 300 });
    const w1 = await waits(db.bookonce, service, "w1");
    await db.bookonce.waitlist.tick();
    const offer = await offerOf(db.bookonce, w1);
    const paid = await db.bookonce.confirmPayment({
      provider: "telegram_stars",
      account: "bot",
      chargeId: "charge-1",
      payload: offer.payload,
      payer: "w1",
      amount: 300,
      currency: "XTR",
    });
    expect(paid).toMatchObject({ outcome: "booked" });
    expect(await entry(db.bookonce, w1)).toMatchObject({ state: "used", offer: null });
    expect(await said(db)).toEqual(["joined w1", "offered w1", "used w1"]);
    expect(await db.bookonce.audit()).toMatchObject({ ok: true });
  });

  test("lasts as long as the policy says, and never longer than until the start", async () => {
    const quick = db.another({ policies: { waitlist: { offer: { minutes: 2 } } } });
    const service = await offering(quick, "cut");
    const w1 = await waits(quick, service, "w1");
    await quick.waitlist.tick();
    const offer = await offerOf(quick, w1);
    expect((offer.holdExpiresAt?.getTime() ?? 0) - offer.createdAt.getTime()).toBe(2 * minute);

    const soon = new Date(Date.now() + 60_000);
    const w2 = await waits(quick, await offering(quick, "late"), "w2", {
      from: soon,
      to: new Date(soon.getTime() + hour),
    });
    await quick.waitlist.tick();
    expect((await offerOf(quick, w2)).holdExpiresAt).toEqual(soon);
  });

  test("that lapses is passed on by the next tick, with no worker in between; it was nobody's from its instant on", async () => {
    const service = await offering(db.bookonce, "cut");
    const [w1, w2] = [await waits(db.bookonce, service, "w1"), await waits(db.bookonce, service, "w2")];
    await db.bookonce.waitlist.tick();
    const first = await offerOf(db.bookonce, w1);
    await db.clock.advance(15 * minute);
    // Nothing has run, and yet it is over.
    expect(await entry(db.bookonce, w1)).toMatchObject({ state: "waiting", offer: null });
    expect(await accept(first)).toMatchObject({ outcome: "refused", reason: "hold_lapsed" });
    expect(await db.bookonce.slots.explain({ service, start: ten })).toMatchObject({ claimable: true });

    expect(await db.bookonce.waitlist.tick()).toEqual({ offered: 1, lapsed: 1, ended: 0, unservable: 0 });
    expect(await offerOf(db.bookonce, w2)).toMatchObject({ start: ten });
    expect(await db.bookonce.waitlist.tick()).toEqual({ offered: 0, lapsed: 0, ended: 0, unservable: 0 });
    expect(await said(db)).toEqual(["joined w1", "joined w2", "offered w1", "lapsed w1", "offered w2"]);
  });

  test("is made by sweep too", async () => {
    const service = await offering(db.bookonce, "cut");
    const w1 = await waits(db.bookonce, service, "w1");
    await db.bookonce.sweep();
    expect(await entry(db.bookonce, w1)).toMatchObject({ state: "offered" });
    await db.clock.advance(15 * minute);
    await db.bookonce.sweep();
    expect(await said(db)).toEqual(["joined w1", "offered w1", "lapsed w1"]);
  });

  test("that is declined goes to the next at once; the first keeps waiting for another", async () => {
    const service = await offering(db.bookonce, "cut", { hours: true });
    const w1 = await waits(db.bookonce, service, "w1", { to: at(12) });
    const w2 = await waits(db.bookonce, service, "w2");
    const taken = await sold(db.bookonce, service, "owner", { start: at(11) });
    await db.bookonce.waitlist.tick();
    const offer = await offerOf(db.bookonce, w1);
    expect(await db.bookonce.waitlist.decline({ bookingId: offer.id, customer: "w2" })).toEqual({
      outcome: "refused",
      reason: "unknown_offer",
    });
    const decline = () => db.bookonce.waitlist.decline({ bookingId: offer.id, customer: "w1" });
    expect(await decline()).toMatchObject({
      outcome: "declined",
      booking: { state: "cancelled", cancelReason: "declined" },
    });
    expect(await decline()).toMatchObject({ outcome: "already_over" });
    expect(await statesOf(db.bookonce, [w1, w2])).toEqual(["waiting", "offered"]);
    await db.bookonce.waitlist.decline({ bookingId: (await offerOf(db.bookonce, w2)).id, customer: "w2" });
    // Both have had it: it is for strangers now.
    expect(await db.bookonce.waitlist.tick()).toMatchObject({ offered: 0 });
    await cancel(taken);
    expect(await offerOf(db.bookonce, await entry(db.bookonce, w1))).toMatchObject({ start: at(11) });
    expect(await said(db, "offered")).toEqual(["offered w1", "offered w2", "offered w1"]);
  });

  test("that was cancelled, or let lapse, is not made again; unless the policy says so", async () => {
    const service = await offering(db.bookonce, "cut");
    const w1 = await waits(db.bookonce, service, "w1");
    await db.bookonce.waitlist.tick();
    await cancel(await offerOf(db.bookonce, w1));
    expect(await db.bookonce.waitlist.tick()).toMatchObject({ offered: 0 });
    const again = db.another({ policies: { waitlist: { offerAgain: true } } });
    expect(await again.waitlist.tick()).toMatchObject({ offered: 1 });
    await db.clock.advance(15 * minute);
    expect(await db.bookonce.waitlist.tick()).toMatchObject({ offered: 0, lapsed: 1 });
    expect(await again.waitlist.tick()).toMatchObject({ offered: 1 });
  });

  test("is not made of what the customer has booked herself, nor beyond the holds that one may have", async () => {
    const careful = db.another({ policies: { maxLiveHoldsPerCustomer: 1 } });
    const service = await offering(careful, "class", { capacity: 2 });
    await sold(careful, service, "w1");
    const w1 = await waits(careful, service, "w1");
    const [w2, w3] = [await waits(careful, service, "w2"), await waits(careful, service, "w3")];
    await careful.reserveSlot({ customer: "w2", service: await offering(careful, "other"), start: ten });
    expect(await careful.waitlist.tick()).toMatchObject({ offered: 1 });
    expect(await statesOf(careful, [w1, w2, w3])).toEqual(["waiting", "waiting", "offered"]);
  });

  test("can be moved by its customer; the time it had is then offered to the next", async () => {
    const service = await offering(db.bookonce, "cut");
    const [w1, w2] = [await waits(db.bookonce, service, "w1"), await waits(db.bookonce, service, "w2")];
    await db.bookonce.waitlist.tick();
    const offer = await offerOf(db.bookonce, w1);
    expect(await db.bookonce.reschedule({ bookingId: offer.id, customer: "w1", start: at(14) })).toMatchObject({
      outcome: "rescheduled",
    });
    expect(await offerOf(db.bookonce, w2)).toMatchObject({ start: ten });
    expect(await accept(offer)).toMatchObject({ outcome: "confirmed" });
    expect(await statesOf(db.bookonce, [w1, w2])).toEqual(["used", "offered"]);
  });

  test("that lapsed stays lapsed, though the policy would let a lapsed hold be taken again: it was passed on", async () => {
    const lenient = db.another({ policies: { retakeLapsedHold: true } });
    const service = await offering(lenient, "cut", { price: 300 });
    const w1 = await waits(lenient, service, "w1");
    await lenient.waitlist.tick();
    const { payload } = await offerOf(lenient, w1);
    await db.clock.advance(15 * minute);
    const query = {
      provider: "telegram_stars",
      account: "bot",
      checkoutId: "q1",
      payload,
      payer: "w1",
      amount: 300,
      currency: "XTR",
    };
    expect(await lenient.decidePreCheckout(query)).toMatchObject({ outcome: "declined", reason: "hold_lapsed" });
  });
});
