import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { at, entry, hour, minute, offering, offerOf, said, sold, statesOf, ten, waits } from "../support/waiting.ts";

// B12: who is in line, and who is next.
let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const cancel = (booking: { readonly id: string; readonly customer: string }) =>
  db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });

describe("B12: joining", () => {
  test("records what was consented to and when; the instant of joining unless it is given", async () => {
    const service = await offering(db.bookonce, "cut");
    const w1 = await waits(db.bookonce, service, "w1", { consent: { text: "terms v3" } });
    expect(w1).toMatchObject({ state: "waiting", offer: null, quantity: 1, resources: null, from: at(10), to: at(11) });
    expect(w1.consent).toEqual({ text: "terms v3", at: w1.joinedAt });
    const earlier = new Date(Date.now() - hour);
    const w2 = await waits(db.bookonce, service, "w2", { consent: { text: "terms v3", at: earlier } });
    expect((await entry(db.bookonce, w2)).consent).toEqual({ text: "terms v3", at: earlier });
    await expect(
      // @ts-expect-error: nobody is put on a list without her consent
      db.bookonce.waitlist.join({ customer: "w3", service, from: at(10), to: at(11) }),
    ).rejects.toMatchObject({ code: "invalid_input", problems: [{ path: "consent" }] });
  });

  test("twice is one entry that keeps its place, also from two processes at once", async () => {
    const service = await offering(db.bookonce, "cut");
    const other = db.another();
    const both = await Promise.all([waits(db.bookonce, service, "w1"), waits(other, service, "w1")]);
    expect(both[0].id).toBe(both[1].id);
    await waits(db.bookonce, service, "w2");
    const input = { customer: "w1", service, from: at(10), to: at(11), consent: { text: "again" } };
    expect(await db.bookonce.waitlist.join(input)).toMatchObject({ outcome: "existing", entry: { id: both[0].id } });
    expect(await db.bookonce.waitlist.position({ entryId: both[0].id, customer: "w1" })).toBe(1);
    expect(await said(db)).toEqual(["joined w1", "joined w2"]);
    expect(await db.bookonce.waitlist.join({ ...input, quantity: 2 })).toMatchObject({ outcome: "joined" });
  });

  test("with a request id is the same request or a conflict", async () => {
    const service = await offering(db.bookonce, "cut");
    const w1 = await waits(db.bookonce, service, "w1", { requestId: "r1" });
    await db.bookonce.waitlist.leave({ entryId: w1.id, customer: "w1" });
    const input = { customer: "w1", service, from: at(10), to: at(11), consent: { text: "v1" }, requestId: "r1" };
    expect(await db.bookonce.waitlist.join(input)).toMatchObject({
      outcome: "existing",
      entry: { id: w1.id, state: "left" },
    });
    expect(await db.bookonce.waitlist.join({ ...input, to: at(12) })).toEqual({
      outcome: "refused",
      reason: "idempotency_conflict",
    });
  });

  test("is refused for what cannot be served", async () => {
    const service = await offering(db.bookonce, "cut");
    const few = db.another({ policies: { waitlist: { maxEntriesPerCustomer: 1 } } });
    const join = (over: object) =>
      few.waitlist.join({ customer: "w1", service, from: at(10), to: at(11), consent: { text: "v1" }, ...over });
    expect(await join({ service: "nothing" })).toEqual({ outcome: "refused", reason: "unknown_service" });
    expect(await join({ to: new Date(ten.getTime() + 59 * minute) })).toMatchObject({ reason: "window_too_short" });
    const gone = Date.now() - 3 * hour;
    expect(await join({ from: new Date(gone), to: new Date(gone + hour) })).toMatchObject({ reason: "in_past" });
    expect(await join({})).toMatchObject({ outcome: "joined" });
    expect(await join({ to: at(12) })).toEqual({ outcome: "refused", reason: "too_many_entries", limit: 1 });
    await expect(join({ from: at(12), to: at(11) })).rejects.toMatchObject({ problems: [{ path: "to" }] });
    await expect(join({ quantity: 0 })).rejects.toMatchObject({ problems: [{ path: "quantity" }] });
    await expect(join({ to: at(24 * 63) })).rejects.toMatchObject({ problems: [{ path: "to" }] });
  });

  test("again, after an offer was accepted, is a new entry at the end of the line", async () => {
    const service = await offering(db.bookonce, "class", { capacity: 2 });
    const w1 = await waits(db.bookonce, service, "w1");
    await db.bookonce.waitlist.tick();
    await db.bookonce.confirm({ bookingId: (await offerOf(db.bookonce, w1)).id, customer: "w1" });
    // Nobody has written down that it is used.
    const again = await waits(db.bookonce, service, "w1");
    expect(again.id).not.toBe(w1.id);
    expect(await statesOf(db.bookonce, [w1, again])).toEqual(["used", "waiting"]);
  });

  test("rolls back with the caller's transaction", async () => {
    const service = await offering(db.bookonce, "cut");
    const client = await db.pool.connect();
    await client.query("begin");
    const join = { customer: "w1", service, from: at(10), to: at(11), consent: { text: "v1" } };
    const joined = await db.bookonce.within(client).waitlist.join(join);
    expect(joined).toMatchObject({ outcome: "joined" });
    await client.query("rollback");
    client.release();
    expect(await db.bookonce.waitlist.list()).toEqual([]);
  });
});

describe("B12: leaving", () => {
  test("is honoured at once, and only for the customer and administrators", async () => {
    const service = await offering(db.bookonce, "cut");
    const booking = await sold(db.bookonce, service, "owner");
    const [w1, w2] = [await waits(db.bookonce, service, "w1"), await waits(db.bookonce, service, "w2")];
    expect(await db.bookonce.waitlist.leave({ entryId: w1.id, customer: "w2" })).toEqual({
      outcome: "refused",
      reason: "unknown_entry",
    });
    expect(await db.bookonce.waitlist.leave({ entryId: w1.id, customer: "w1" })).toMatchObject({
      outcome: "left",
      entry: { state: "left", closedBy: "w1" },
      released: null,
    });
    expect(await db.bookonce.waitlist.leave({ entryId: w1.id, customer: "w1" })).toMatchObject({
      outcome: "already_over",
    });
    await cancel(booking);
    expect(await statesOf(db.bookonce, [w1, w2])).toEqual(["left", "offered"]);
    expect(await db.bookonce.waitlist.leave({ entryId: w2.id, administrator: "boss" })).toMatchObject({
      outcome: "left",
      entry: { closedBy: "boss" },
    });
    expect(await said(db)).toEqual(["joined w1", "joined w2", "left w1", "offered w2", "left w2"]);
  });

  test("R66: during an offer releases it and passes it on; the payment that still comes confirms nothing", async () => {
    const service = await offering(db.bookonce, "cut", { price: 300 });
    const [w1, w2] = [await waits(db.bookonce, service, "w1"), await waits(db.bookonce, service, "w2")];
    await db.bookonce.waitlist.tick();
    const offer = await offerOf(db.bookonce, w1);
    const charge = {
      provider: "telegram_stars",
      account: "bot",
      payload: offer.payload,
      payer: "w1",
      amount: 300,
      currency: "XTR",
    };
    expect(await db.bookonce.decidePreCheckout({ ...charge, checkoutId: "q1" })).toMatchObject({ outcome: "approved" });
    expect(await db.bookonce.waitlist.leave({ entryId: w1.id, customer: "w1" })).toMatchObject({
      outcome: "left",
      released: { id: offer.id, state: "cancelled", cancelReason: "left" },
    });
    expect(await statesOf(db.bookonce, [w1, w2])).toEqual(["left", "offered"]);
    expect(await db.bookonce.confirmPayment({ ...charge, chargeId: "c1" })).toMatchObject({
      outcome: "late",
      refund: { amount: 300, state: "pending" },
    });
    expect((await said(db, "used")).length).toBe(0);
    expect(await db.bookonce.audit()).toMatchObject({ ok: true });
  });

  test("after an offer was accepted leaves the booking as it is", async () => {
    const service = await offering(db.bookonce, "cut");
    const w1 = await waits(db.bookonce, service, "w1");
    await db.bookonce.waitlist.tick();
    const offer = await offerOf(db.bookonce, w1);
    await db.bookonce.confirm({ bookingId: offer.id, customer: "w1" });
    expect(await db.bookonce.waitlist.decline({ bookingId: offer.id, customer: "w1" })).toMatchObject({
      reason: "already_confirmed",
    });
    expect(await db.bookonce.waitlist.leave({ entryId: w1.id, customer: "w1" })).toMatchObject({
      outcome: "already_over",
      entry: { state: "used" },
    });
    expect(await db.bookonce.bookings.get(offer.id)).toMatchObject({ state: "confirmed" });
  });
});
