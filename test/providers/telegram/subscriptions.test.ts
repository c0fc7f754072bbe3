import { readFileSync } from "node:fs";
import { join } from "node:path";
import { starsInvoice, starsRefunder } from "bookonce/telegram";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root, sourceFiles } from "../../architecture/imports.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { salon } from "./support.ts";

// Subscriptions are not ours (S17): their receipts are recognised and left to the bot's own code, and so are the calls that end them.
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const month = 2_592_000;
const editing = "editUserStarSubscription";

test("S17, B44, B45: through the whole life of a subscription with a payload of ours nothing is booked, returned or switched off", async () => {
  const called = new Set<string>();
  const at = await salon(db, {
    api: (api) => ({
      call: (method, ...more) => {
        called.add(method);
        return api.call(method, ...more);
      },
    }),
  });
  const alice = at.person();
  const booking = await at.reserve(alice);
  const invoice = starsInvoice({ booking, title: "Club", description: "Monthly" });
  const link = await at.api.call(
    "createInvoiceLink",
    { ...invoice, subscription_period: month },
    { signal: AbortSignal.timeout(5_000) },
  );
  called.clear();
  const outcomes: string[] = [];
  const handle = async (updates = 1) => {
    for (const update of await at.take(updates)) outcomes.push((await at.telegram.handleUpdate(update)).outcome);
  };

  const paying = alice.pay(String(link));
  await handle();
  const first = await paying;
  if (first.outcome !== "paid") throw new Error(first.outcome);
  await handle();
  await at.fake.renewSubscription(first.chargeId);
  await handle();
  await alice.cancelSubscription(first.chargeId);
  await handle();
  await alice.cancelSubscription(first.chargeId, false);
  await handle();
  expect(outcomes).toEqual(["approved", "recurring", "recurring", "subscription", "subscription"]);

  await at.telegram.reconcile();
  await at.telegram.auditLedger();
  await at.telegram.doctor();
  await db.bookonce.refunds.run(starsRefunder(at.api));
  // Asked about money and about the bot, and answered the query: no call that changes anything else.
  expect([...called].toSorted()).toEqual(["answerPreCheckoutQuery", "getMe", "getStarTransactions", "getWebhookInfo"]);
  expect(await at.fake.calls({ method: editing })).toEqual([]);
  expect(await db.bookonce.payments.find({ bookingId: booking.id })).toEqual([]);
  // It still runs: the next month is charged.
  await at.fake.renewSubscription(first.chargeId);
});

test("S17, B44, B45: nothing of ours knows the call that edits a subscription, but the fake Telegram", () => {
  const knowing = ["src", "examples"]
    .flatMap(sourceFiles)
    .filter((file) => readFileSync(join(root, file), "utf8").includes(editing));
  expect(knowing.filter((file) => !file.startsWith("src/testing/"))).toEqual([]);
  // The search finds it where it is.
  expect(knowing).not.toEqual([]);
});
