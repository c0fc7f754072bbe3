import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { starsRefunder } from "bookonce/telegram";
import { expect, onTestFinished, test } from "vitest";
import { charge, rows, salon } from "../providers/telegram/support.ts";
import { createTestDatabase, testSchema } from "../support/database.ts";
import { hour } from "../support/fixtures.ts";
import { startGate } from "../support/gate.ts";

/**
 * In the large tests a ledger is read sooner or later, and completes what a refunder took for a failure. Here nothing but the next
 * worker's call can: nobody reconciles, and Telegram's message about the refund is left unread.
 */
test("S12, B28: killed after Telegram has returned the Stars and before it heard so: the next worker's ALREADY_REFUNDED completes it", async () => {
  const db = await createTestDatabase();
  onTestFinished(() => db.drop());
  const at = await salon(db);
  const alice = at.person();
  const booking = await at.reserve(alice);
  await db.bookonce.cancel({ bookingId: booking.id, administrator: "test" });
  const chargeId = await charge(at, alice, booking);
  const [late] = await at.receive();
  if (late?.outcome !== "late" || late.refund === null) throw new Error(`not late: ${late?.outcome}`);
  const refund = async () => (await rows(db, "refunds", "id = $1", late.refund?.id ?? ""))[0];

  const gate = await startGate({ port: Number(new URL(at.fake.url).port) });
  onTestFinished(() => gate.close());
  const heard = gate.trap({ when: "after", matches: (path) => path.endsWith("/refundStarPayment") });
  const program = fileURLToPath(new URL("./refunding-process.ts", import.meta.url));
  const worker = spawn(process.execPath, ["--import", "tsx", program, db.url, testSchema, gate.url, at.bot.token], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(worker, "exit");
  onTestFinished(async () => {
    worker.kill("SIGKILL");
    await ended;
  });
  await heard;
  worker.kill("SIGKILL");
  await ended;
  expect(await alice.stars()).toBe(1000);
  expect(await refund()).toMatchObject({ state: "sending", attempts: 1, completed_at: null });

  const next = () => db.bookonce.refunds.run(starsRefunder(at.api, { botId: at.bot.id }));
  expect(await next()).toMatchObject({ completed: 0 });
  await db.clock.advance(hour);
  expect(await next()).toMatchObject({ completed: 1, pending: 0, needsAttention: 0 });
  expect(await refund()).toMatchObject({
    state: "completed",
    attempts: 2,
    completed_by: "telegram: CHARGE_ALREADY_REFUNDED",
    last_error: null,
  });
  expect((await at.fake.ledger.read()).refunds).toMatchObject([{ chargeId }]);
  expect(await alice.stars()).toBe(1000);
  expect(await db.bookonce.audit()).toMatchObject({ ok: true, payments: { returned: 1 } });
}, 60_000);
