import { starsRefunder } from "bookonce/telegram";
import type { FakeUser } from "bookonce/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { buy, charge, rows, type Salon, salon, tables } from "./support.ts";

// One database a test: the audits look at all of it.
let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

/** A charge whose receipt never reaches the bot. */
async function lostCharge(at: Salon, user: FakeUser, booking = at.reserve(user)): Promise<string> {
  await at.fake.faults.payment({ receipt: "lost" });
  return charge(at, user, await booking);
}

test("O2: Telegram's ledger and our payments agree, and what does not is named", async () => {
  const at = await salon(db);
  const alice = at.person();
  await buy(at, alice, await at.reserve(alice));
  const surplus = await at.reserve(alice);
  await charge(at, alice, surplus);
  await charge(at, alice, surplus);
  await at.receive();
  await db.bookonce.refunds.run(starsRefunder(at.api));
  await at.fake.ledger.addForeign({ kind: "paid_media", amount: 33 });
  const totals = { charges: 3, stars: 300, refunds: 1, refundedStars: 100 };
  expect(await at.telegram.auditLedger()).toEqual({
    telegram: totals,
    recorded: totals,
    missing: [],
    differing: [],
    refundsMissing: [],
    refundsUnproven: [],
    starsOnlyHere: 0,
    ok: true,
  });

  const lost = await lostCharge(at, alice);
  const { chargeId: returned } = await buy(at, alice, await at.reserve(alice));
  await at.fake.refundExternally(returned, { notice: false });
  const audit = await at.telegram.auditLedger();
  expect(audit).toMatchObject({ missing: [lost], refundsMissing: [returned], ok: false });
  expect(audit.telegram.stars - audit.recorded.stars).toBe(100);
});

test("O2: a forged receipt shows as Stars that only we know of; an altered amount as a difference", async () => {
  const at = await salon(db);
  const alice = at.person();
  const booking = await at.reserve(alice);
  const forged = {
    from: { id: alice.id },
    successful_payment: {
      currency: "XTR",
      total_amount: 100,
      invoice_payload: booking.payload,
      telegram_payment_charge_id: "forged",
    },
  };
  expect(await at.telegram.handleUpdate({ message: forged })).toMatchObject({ outcome: "booked" });
  expect(await at.telegram.auditLedger()).toMatchObject({ starsOnlyHere: 100 });

  const chargeId = await charge(at, alice, await at.reserve(alice));
  const [update] = await at.take();
  const message = JSON.parse(JSON.stringify(update?.["message"]));
  message.successful_payment.total_amount = 99;
  await at.telegram.handleUpdate({ message });
  expect(await at.telegram.auditLedger()).toMatchObject({ differing: [chargeId], ok: false });
});

test("the audit writes nothing", async () => {
  const at = await salon(db);
  await lostCharge(at, at.person());
  const before = await tables(db);
  await at.telegram.auditLedger();
  expect(await tables(db)).toEqual(before);
  expect(await rows(db, "cursors", "true")).toEqual([]);
});
