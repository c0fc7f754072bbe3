import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { answers, lost, offline, pressPay, scripted, tooOld } from "./press-pay.ts";
import { buy, salon, tables } from "./support.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => db.clock.reset());
afterAll(() => db.drop());

test("case B10, S7: Telegram's 'query is too old' is an outcome, and the next press of Pay is approved", async () => {
  const at = await salon(db, { fake: { clock: "manual" } });
  const { payer, booking, paying, update } = await pressPay(at);
  await at.fake.clock.advance({ seconds: 11 });
  expect(await paying).toEqual({ outcome: "timeout" });
  const result = await at.telegram.handleUpdate(update);
  expect(result).toMatchObject({
    outcome: "answer_expired",
    decision: "approved",
    voided: true,
    handled: true,
    ack: "ok",
  });
  const again = await pressPay(at, payer, Promise.resolve(booking));
  expect(await at.telegram.handleUpdate(again.update)).toMatchObject({ outcome: "approved" });
  expect(await again.paying).toMatchObject({ outcome: "paid" });
  expect(at.errors).toEqual([]);
});

test("case B10: the expired query itself, delivered again, stays no", async () => {
  const at = await salon(db, { fake: { clock: "manual" } });
  const { update } = await pressPay(at);
  await at.fake.clock.advance({ seconds: 11 });
  await at.telegram.handleUpdate(update);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({
    outcome: "answer_expired",
    decision: "declined",
    voided: false,
  });
});

test("S8: 'too old' after an answer that may have been heard leaves the approval", async () => {
  const at = await salon(db, { api: scripted(lost) });
  const { booking, paying, update } = await pressPay(at);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({
    outcome: "answer_expired",
    decision: "approved",
    voided: false,
  });
  expect(await paying).toMatchObject({ outcome: "paid" });
  expect(await at.receive()).toMatchObject([{ outcome: "booked" }]);
  expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "confirmed" });
});

test("S8: a repeated approval that Telegram calls too old stays: the first delivery's answer may have been heard", async () => {
  const at = await salon(db, { api: scripted((api, ...call) => api.call(...call), tooOld) });
  const { update } = await pressPay(at);
  await at.telegram.handleUpdate(update);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "answer_expired", voided: false });
});

test("S8, S14: an answer without a reply leaves the hold, and the receipt finds it", async () => {
  const at = await salon(db, { telegram: { deadlines: { answerMs: 200 } } });
  await at.fake.faults.hang("answerPreCheckoutQuery");
  const { booking, paying, update } = await pressPay(at);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "approved", answer: "unknown", ack: "ok" });
  expect(await paying).toMatchObject({ outcome: "paid" });
  expect(await db.bookonce.bookings.get(booking.id)).toMatchObject({ state: "held" });
  expect(await at.receive()).toMatchObject([{ outcome: "booked", booking: { id: booking.id } }]);
});

test("a network error before Telegram heard anything is answered by one retry, and by no more", async () => {
  const once = await salon(db, { api: scripted(offline) });
  const pressed = await pressPay(once);
  expect(await once.telegram.handleUpdate(pressed.update)).toMatchObject({ outcome: "approved", answer: "sent" });
  expect(await pressed.paying).toMatchObject({ outcome: "paid" });

  const twice = await salon(db, { api: scripted(offline, offline) });
  const { update } = await pressPay(twice);
  expect(await twice.telegram.handleUpdate(update)).toMatchObject({ outcome: "approved", answer: "unknown" });
  expect(await answers(twice)).toEqual([]);
  expect(twice.errors).toHaveLength(1);
});

test("429 is waited for when there is time, and no approval is sent late", async () => {
  const at = await salon(db);
  await at.fake.faults.tooManyRequests("answerPreCheckoutQuery", { retryAfter: 60 });
  const { update } = await pressPay(at);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "approved", answer: "refused" });
  expect(await answers(at)).toHaveLength(1);
});

test("B02, S3: the resource is locked by somebody else for longer than Telegram waits: a no within the ten seconds, and nothing is sold", async () => {
  // With no deadline but our own. One booking holds its time, the other claims it at checkout; both need the row that is locked.
  const at = await salon(db);
  const [holder, claimer] = [at.person(), at.person()];
  const bookings = [await at.reserve(holder), await at.reserve(claimer, { claim: "at_checkout" })] as const;
  const pressed = [
    await pressPay(at, holder, Promise.resolve(bookings[0])),
    await pressPay(at, claimer, Promise.resolve(bookings[1])),
  ];
  const before = await tables(db);
  const locker = await db.pool.connect();
  try {
    await locker.query("begin");
    await locker.query(`select from ${db.schema}.resources where id = $1 for update`, [at.master]);
    // The lock is still held when both have their answer: Telegram's own clock says that it came in time.
    const results = await Promise.all(pressed.map(({ update }) => at.telegram.handleUpdate(update)));
    const no = { outcome: "declined", reason: "unavailable", answer: "sent", ack: "ok" };
    expect(results).toMatchObject([no, no]);
    const rejected = { outcome: "rejected", message: expect.stringContaining("Nothing was charged") };
    expect(await Promise.all(pressed.map(({ paying }) => paying))).toMatchObject([rejected, rejected]);
  } finally {
    await locker.query("rollback");
    locker.release();
  }
  expect(await tables(db)).toEqual(before);
  expect((await at.fake.ledger.read(at.bot)).charges).toEqual([]);
  // After such a no, the same people can pay.
  for (const [payer, booking] of [
    [holder, bookings[0]],
    [claimer, bookings[1]],
  ] as const) {
    expect((await buy(at, payer, booking)).result).toMatchObject({ outcome: "booked" });
  }
});

test("S3: a shorter deadline of one's own is kept, and a booking that is locked is a no too", async () => {
  const at = await salon(db);
  const hasty = at.another(db.bookonce, { deadlines: { decideMs: 300 } });
  const { payer, booking, paying, update } = await pressPay(at);
  const locker = await db.pool.connect();
  await locker.query("begin");
  await locker.query(`select from ${db.schema}.bookings where id = $1 for update`, [booking.id]);
  expect(await hasty.handleUpdate(update)).toMatchObject({ outcome: "declined", reason: "unavailable" });
  expect(await paying).toMatchObject({ outcome: "rejected" });
  await locker.query("rollback");
  locker.release();
  expect((await buy(at, payer, booking)).result).toMatchObject({ outcome: "booked" });
});

test("S3: fail closed: whatever the verb throws, the payer gets a no", async () => {
  const at = await salon(db);
  for (const decidePreCheckout of [
    () => Promise.reject(new Error("out of memory")),
    () => {
      throw new Error("synchronously");
    },
  ]) {
    const broken = at.another({ ...db.bookonce, decidePreCheckout });
    const { paying, update } = await pressPay(at);
    expect(await broken.handleUpdate(update)).toMatchObject({
      outcome: "declined",
      reason: "unavailable",
      answer: "sent",
    });
    expect(await paying).toMatchObject({ outcome: "rejected" });
  }
  expect(at.errors).toHaveLength(2);
});

test("B27: a decision that never comes is a no before Telegram stops waiting", async () => {
  const at = await salon(db);
  const decidePreCheckout = () => new Promise<never>(() => undefined);
  const hung = at.another({ ...db.bookonce, decidePreCheckout }, { deadlines: { decideMs: 50 } });
  const { paying, update } = await pressPay(at);
  expect(await hung.handleUpdate(update)).toMatchObject({ outcome: "declined", reason: "unavailable" });
  expect(await paying).toMatchObject({ outcome: "rejected" });
});

test("B27: an API port that ignores its signal does not hold us", async () => {
  const never = () => new Promise<never>(() => undefined);
  const at = await salon(db, { api: scripted(never, never), telegram: { deadlines: { answerMs: 50 } } });
  const { update } = await pressPay(at);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "approved", answer: "unknown" });
});

test("what onError throws is nobody's problem", async () => {
  const onError = () => {
    throw new Error("the logger is broken");
  };
  const at = await salon(db, { api: scripted(offline, offline), telegram: { onError } });
  const { update } = await pressPay(at);
  expect(await at.telegram.handleUpdate(update)).toMatchObject({ outcome: "approved" });
});
