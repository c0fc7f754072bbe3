import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { at, entry, minute, offering, offerOf, said, sold, statesOf, ten, waits } from "../support/waiting.ts";

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

describe("B12: places that become free", () => {
  test("by a reschedule away, a higher capacity, a resource switched on, a hold that lapses, a hold that is replaced", async () => {
    const { bookonce } = db;
    const moved = await offering(bookonce, "moved");
    const booking = await sold(bookonce, moved, "owner");
    const w1 = await waits(bookonce, moved, "w1");
    await bookonce.reschedule({ bookingId: booking.id, customer: "owner", start: at(15) });
    expect(await entry(bookonce, w1)).toMatchObject({ state: "offered" });

    const full = await offering(bookonce, "full", { capacity: 1 });
    await sold(bookonce, full, "owner");
    const w2 = await waits(bookonce, full, "w2");
    expect(await bookonce.waitlist.tick()).toMatchObject({ offered: 0 });
    await bookonce.resources.put({ id: "full-room", capacity: 2 });
    expect(await bookonce.waitlist.tick()).toMatchObject({ offered: 1 });
    expect(await entry(bookonce, w2)).toMatchObject({ state: "offered" });

    const off = await offering(bookonce, "off");
    await bookonce.resources.put({ id: "off-room", active: false });
    const w3 = await waits(bookonce, off, "w3");
    expect(await bookonce.waitlist.tick()).toMatchObject({ offered: 0 });
    await bookonce.resources.put({ id: "off-room", active: true });
    await bookonce.waitlist.tick();
    expect(await entry(bookonce, w3)).toMatchObject({ state: "offered" });

    const held = await offering(bookonce, "held");
    const hold = await bookonce.reserveSlot({ customer: "undecided", service: held, start: ten });
    const w4 = await waits(bookonce, held, "w4");
    if (hold.outcome !== "reserved") throw new Error(hold.outcome);
    await bookonce.reserveSlot({ customer: "undecided", service: held, start: at(12), replaces: hold.booking.id });
    expect(await entry(bookonce, w4)).toMatchObject({ state: "offered" });

    const w5 = await waits(bookonce, held, "w5", { from: at(12), to: at(13) });
    expect(await bookonce.waitlist.tick()).toMatchObject({ offered: 0 });
    await db.clock.advance(15 * minute);
    await bookonce.waitlist.tick();
    expect(await entry(bookonce, w5)).toMatchObject({ state: "offered" });
  });

  test("R62: a place from the list that is cancelled goes to the next, once; the entry was used and does not revive", async () => {
    const service = await offering(db.bookonce, "class", { capacity: 12 });
    for (let seat = 1; seat <= 11; seat += 1) await sold(db.bookonce, service, `owner-${seat}`);
    const [w1, w2] = [await waits(db.bookonce, service, "w1"), await waits(db.bookonce, service, "w2")];
    await db.bookonce.waitlist.tick();
    expect(await statesOf(db.bookonce, [w1, w2])).toEqual(["offered", "waiting"]);
    const offer = await offerOf(db.bookonce, w1);
    await accept(offer);
    expect(await db.bookonce.waitlist.tick()).toMatchObject({ offered: 0 });
    await cancel(offer);
    expect(await statesOf(db.bookonce, [w1, w2])).toEqual(["used", "offered"]);
    await cancel(await offerOf(db.bookonce, w2));
    expect(await db.bookonce.slots.explain({ service, start: ten })).toMatchObject({
      claimable: true,
      slot: { left: 1 },
    });
    await db.bookonce.waitlist.tick();
    expect(await said(db, "offered")).toEqual(["offered w1", "offered w2"]);
  });

  test("R63: taking a hold above the capacity away frees no more than there is", async () => {
    const service = await offering(db.bookonce, "class", { capacity: 5 });
    for (let seat = 1; seat <= 3; seat += 1) await sold(db.bookonce, service, `owner-${seat}`);
    const override = await db.bookonce.reserveSlot({ customer: "admin", service, start: ten, quantity: 2 });
    if (override.outcome !== "reserved") throw new Error(override.outcome);
    await db.bookonce.resources.put({ id: "class-room", capacity: 3 });
    const waiting = [await waits(db.bookonce, service, "w1"), await waits(db.bookonce, service, "w2")];
    await cancel(override.booking);
    expect(await db.bookonce.waitlist.tick()).toMatchObject({ offered: 0 });
    expect(await statesOf(db.bookonce, waiting)).toEqual(["waiting", "waiting"]);
    await db.bookonce.resources.put({ id: "class-room", capacity: 4 });
    expect(await db.bookonce.waitlist.tick()).toMatchObject({ offered: 1 });
    expect(await db.bookonce.waitlist.tick()).toMatchObject({ offered: 0 });
    expect(await statesOf(db.bookonce, waiting)).toEqual(["offered", "waiting"]);
  });
});
