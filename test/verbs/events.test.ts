import type { BookonceEvent, EventHandler } from "bookonce";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestDatabase } from "../support/database.ts";
import { book, hour, minute, receipt, receiptOf, sell } from "../support/fixtures.ts";
import { createFrozenDatabase } from "../support/frozen-database.ts";

// B14: notifications leave through the outbox that is the history.
let db: TestDatabase;
beforeEach(async () => {
  db = await createFrozenDatabase();
});
afterEach(() => db.drop());

const collecting =
  (into: BookonceEvent[]): EventHandler =>
  async (event) => {
    into.push(event);
  };
const failing: EventHandler = async () => {
  throw new Error("chat not found");
};
const names = (events: readonly BookonceEvent[]) => events.map((event) => event.type);

describe("B14: delivery", () => {
  test("each event once, in order, with the booking as it is now and its version to compare", async () => {
    const { booking } = await sell(db.bookonce);
    const seen: BookonceEvent[] = [];
    expect(await db.bookonce.events.run(collecting(seen))).toEqual({ delivered: 2, failed: 0, parked: 0, dropped: 0 });
    expect(seen).toMatchObject([
      { type: "booking_reserved", bookingId: booking.id, version: 1, booking: { state: "confirmed", version: 2 } },
      { type: "booking_confirmed", version: 2, actor: "telegram_stars", data: { chargeId: expect.any(String) } },
    ]);
    expect(await db.bookonce.events.run(collecting(seen))).toEqual({ delivered: 0, failed: 0, parked: 0, dropped: 0 });
    expect(seen).toHaveLength(2);
  });

  test("an event of no booking is delivered too", async () => {
    const booking = await book(db.bookonce);
    await receipt(db.bookonce, booking, { payload: "bko1_gone" });
    const seen: BookonceEvent[] = [];
    await db.bookonce.events.run(collecting(seen));
    expect(seen.at(-1)).toMatchObject({ type: "payment_review", bookingId: null, booking: null });
  });

  test("a receipt three times and a cancel twice make one message each (B35)", async () => {
    const booking = await book(db.bookonce);
    const charge = receiptOf(booking);
    await Promise.all([1, 2, 3].map(() => db.bookonce.confirmPayment(charge)));
    for (const _ of [1, 2]) await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
    const seen: BookonceEvent[] = [];
    await db.bookonce.events.run(collecting(seen));
    expect(names(seen)).toEqual(["booking_reserved", "booking_confirmed", "booking_cancelled", "refund_requested"]);
  });

  test("a run takes no more than its limit, and nothing once it is stopped", async () => {
    await sell(db.bookonce);
    await sell(db.bookonce);
    const stop = new AbortController();
    expect(await db.bookonce.events.run(async () => undefined, { limit: 1 })).toMatchObject({ delivered: 1 });
    const stopping: EventHandler = async () => stop.abort();
    expect(await db.bookonce.events.run(stopping, { signal: stop.signal })).toMatchObject({ delivered: 1 });
    expect(await db.bookonce.events.run(async () => undefined)).toMatchObject({ delivered: 2 });
  });
});

describe("B14: a handler that fails", () => {
  test("is called again later, and the booking's later events wait for it; other bookings do not", async () => {
    const [one, other] = [await sell(db.bookonce), await sell(db.bookonce)];
    const seen: BookonceEvent[] = [];
    const failsFirst: EventHandler = async (event) => {
      if (event.bookingId === one.booking.id) throw new Error("down");
      seen.push(event);
    };
    expect(await db.bookonce.events.run(failsFirst)).toEqual({ delivered: 2, failed: 1, parked: 0, dropped: 0 });
    expect(seen.every((event) => event.bookingId === other.booking.id)).toBe(true);
    const again: BookonceEvent[] = [];
    await db.clock.advance(999);
    expect(await db.bookonce.events.run(collecting(again))).toMatchObject({ delivered: 0 });
    await db.clock.advance(1);
    await db.bookonce.events.run(collecting(again));
    expect(names(again)).toEqual(["booking_reserved", "booking_confirmed"]);
  });

  test("waits twice as long each time, at most an hour", async () => {
    await book(db.bookonce);
    const waits: number[] = [];
    for (let attempt = 0; attempt < 16; attempt += 1) {
      await db.bookonce.events.run(failing, { parkAfter: 100 });
      const { rows } = await db.pool.query<{ wait: number }>(
        `select extract(epoch from due_at - ${db.schema}.clock())::int as wait from ${db.schema}.events`,
      );
      waits.push(rows[0]?.wait ?? 0);
      await db.clock.advance((rows[0]?.wait ?? 0) * 1_000);
    }
    expect(waits.slice(0, 5)).toEqual([1, 2, 4, 8, 16]);
    expect(waits.slice(-4)).toEqual([3600, 3600, 3600, 3600]);
  });

  test("for good is parked for a person, holds its booking back, and can be replayed", async () => {
    const { booking } = await sell(db.bookonce);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const report = await db.bookonce.events.run(failing, { parkAfter: 3 });
      expect(report).toEqual({ delivered: 0, failed: 1, parked: attempt === 2 ? 1 : 0, dropped: 0 });
      await db.clock.advance(hour);
    }
    const [parked] = await db.bookonce.events.parked();
    expect(parked).toMatchObject({ type: "booking_reserved", bookingId: booking.id, lastError: "chat not found" });
    const seen: BookonceEvent[] = [];
    expect(await db.bookonce.events.run(collecting(seen))).toMatchObject({ delivered: 0 });
    await db.bookonce.events.replay(parked?.id ?? 0);
    expect(await db.bookonce.events.parked()).toEqual([]);
    await db.bookonce.events.run(collecting(seen));
    expect(names(seen)).toEqual(["booking_reserved", "booking_confirmed"]);
  });

  test.each([
    ["a NUL", "bad \u0000 byte"],
    ["half a character", "bad \ud83d"],
    ["a text that is cut inside a character", `${"x".repeat(999)}😀`],
  ])("with an error text of %s does not stop the outbox", async (_, message) => {
    await book(db.bookonce);
    const handler: EventHandler = async () => {
      throw new Error(message);
    };
    expect(await db.bookonce.events.run(handler, { parkAfter: 1 })).toEqual({
      delivered: 0,
      failed: 1,
      parked: 1,
      dropped: 0,
    });
    expect(await db.bookonce.events.parked()).toHaveLength(1);
  });

  test("with something that is no error is tried again as well", async () => {
    await book(db.bookonce);
    const handler: EventHandler = () => Promise.reject("just text");
    expect(await db.bookonce.events.run(handler, { parkAfter: 1 })).toMatchObject({ failed: 1, parked: 1 });
    expect(await db.bookonce.events.parked()).toMatchObject([{ lastError: "just text" }]);
  });
});

describe("B14: replaying", () => {
  test("delivers an event again with the same id", async () => {
    await book(db.bookonce);
    const seen: BookonceEvent[] = [];
    await db.bookonce.events.run(collecting(seen));
    await db.bookonce.events.replay(seen[0]?.id ?? 0);
    await db.bookonce.events.run(collecting(seen));
    expect(seen.map((event) => event.id)).toEqual([seen[0]?.id, seen[0]?.id]);
  });

  test("of an event that does not exist is refused", async () => {
    await expect(db.bookonce.events.replay(404)).rejects.toMatchObject({ code: "invalid_input" });
  });
});

describe("B14: several workers", () => {
  test("share the work: every event is delivered once, and each booking's in order", async () => {
    for (let index = 0; index < 10; index += 1) await sell(db.bookonce);
    const seen: BookonceEvent[] = [];
    const reports = await Promise.all(
      [db.bookonce, db.another(), db.another()].map((shop) => shop.events.run(collecting(seen))),
    );
    // A worker that finds only events whose booking is being served ends its run; the loop comes round again.
    await db.bookonce.events.run(collecting(seen));
    expect(reports.every((report) => report.failed === 0)).toBe(true);
    expect(seen).toHaveLength(20);
    expect(new Set(seen.map((event) => event.id)).size).toBe(20);
    const byBooking = Object.values(Object.groupBy(seen, (event) => event.bookingId ?? ""));
    for (const events of byBooking) expect(names(events ?? [])).toEqual(["booking_reserved", "booking_confirmed"]);
  });

  test("a second worker never overtakes the first within a booking", async () => {
    await sell(db.bookonce);
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const seen: string[] = [];
    const slow = db.bookonce.events.run(async (event) => {
      started.resolve();
      await release.promise;
      seen.push(event.type);
    });
    await started.promise;
    expect(await db.another().events.run(async () => undefined)).toMatchObject({ delivered: 0 });
    release.resolve();
    await slow;
    expect(seen).toEqual(["booking_reserved", "booking_confirmed"]);
  });

  test("a worker that was too slow does not count what another has delivered in its place", async () => {
    await book(db.bookonce);
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const slow = db.another().events.run(
      async () => {
        started.resolve();
        await release.promise;
      },
      { leaseMs: minute },
    );
    await started.promise;
    await db.clock.advance(minute);
    expect(await db.bookonce.events.run(async () => undefined)).toMatchObject({ delivered: 1 });
    release.resolve();
    expect(await slow).toEqual({ delivered: 0, failed: 0, parked: 0, dropped: 0 });
  });

  test("a worker that died: the event is delivered by another when its lease is over (at least once)", async () => {
    await book(db.bookonce);
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const dying = db.another().events.run(
      async () => {
        started.resolve();
        await release.promise;
        throw new Error("late");
      },
      { leaseMs: minute },
    );
    await started.promise;
    const seen: BookonceEvent[] = [];
    await db.clock.advance(minute - 1);
    expect(await db.bookonce.events.run(collecting(seen))).toMatchObject({ delivered: 0 });
    await db.clock.advance(1);
    expect(await db.bookonce.events.run(collecting(seen))).toMatchObject({ delivered: 1 });
    release.resolve();
    await dying;
    // Its late failure changed nothing: the lease was not its own any more.
    expect(await db.bookonce.events.run(collecting(seen))).toMatchObject({ delivered: 0 });
    const { rows } = await db.pool.query(
      `select delivered_at is not null as done, last_error from ${db.schema}.events`,
    );
    expect(rows).toEqual([{ done: true, last_error: null }]);
  });
});
