import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { connectFakeTelegram } from "bookonce/testing";
import { expect, onTestFinished, test } from "vitest";
import { fakeTelegram } from "./bots.ts";

/** Runs the bot of `shop-process.ts` in a process of its own, until the test ends. */
function startShop(url: string, token: string): void {
  const program = fileURLToPath(new URL("shop-process.ts", import.meta.url));
  const child = spawn(process.execPath, [program, url, token], { stdio: "inherit" });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  });
}

test("a bot in one process is paid by a buyer who is driven from another", async () => {
  const telegram = await fakeTelegram();
  const remote = connectFakeTelegram(`${telegram.url}/`);
  const bot = await remote.bot({ username: "shop_bot" });
  startShop(remote.url, bot.token);
  const alice = await remote.user({ firstName: "Alice", stars: 300 });
  await alice.send("/buy");
  await alice.chat.waitFor((message) => message.invoice?.totalAmount === 100, { timeout: 15_000 });
  const outcome = await alice.pay();
  if (outcome.outcome !== "paid") throw new Error(outcome.outcome);
  await alice.chat.waitFor((message) => message.text === "Thank you!");
  expect(await alice.stars()).toBe(200);
  const ledger = await remote.ledger.read(bot);
  expect(ledger).toEqual(await telegram.ledger.read(bot));
  expect(ledger.charges).toMatchObject([{ chargeId: outcome.chargeId, userId: alice.id }]);
  expect(await remote.calls({ method: "answerPreCheckoutQuery" })).toMatchObject([
    { bot: bot.id, reply: { ok: true } },
  ]);
});

test("faults, clock, updates and refunds are driven from another process too", async () => {
  const telegram = await fakeTelegram({ clock: "manual" });
  const remote = connectFakeTelegram(telegram.url);
  const bot = await remote.bot({ token: "42:answer" });
  expect(await remote.bots()).toEqual([bot]);
  const link = await fetch(`${remote.url}/bot42:answer/createInvoiceLink`, {
    method: "POST",
    body: JSON.stringify({
      title: "Cut",
      description: "Cut",
      payload: "p",
      currency: "XTR",
      prices: [{ label: "Cut", amount: 5 }],
    }),
  }).then(async (response) => String(JSON.parse(await response.text()).result));
  const alice = await remote.existingUser((await remote.user()).id);

  const started = await remote.clock.now();
  const timedOut = alice.pay(link);
  await expect.poll(() => remote.updates.pending()).toHaveLength(1);
  await remote.clock.advance({ seconds: 10 });
  expect(await remote.clock.now()).toBe(started + 10_000);
  expect(await timedOut).toEqual({ outcome: "timeout" });

  await remote.faults.payment({ skipPreCheckout: true, charges: 2 }, { user: alice });
  const paid = await alice.pay(link);
  await remote.refundExternally(paid.outcome === "paid" ? paid.chargeId : "");
  await remote.ledger.addForeign({ kind: "gift", amount: 1, user: alice.id });
  const ledger = await remote.ledger.read();
  expect([ledger.charges.length, ledger.refunds.length, ledger.transactions.length]).toEqual([2, 1, 4]);
  expect(await remote.updates.push("chat_member", {})).toBeNull();
  expect(await remote.updates.push("poll", { id: "1" })).toEqual(expect.any(Number));
});

test("a mistake in another process comes back as an error with its reason", async () => {
  const telegram = await fakeTelegram();
  const remote = connectFakeTelegram(telegram.url);
  await expect(remote.renewSubscription("nothing")).rejects.toThrow("There is no subscription with charge nothing.");
  await expect(remote.user({ stars: -1 })).rejects.toThrow("user.create");
  await expect(remote.ledger.read({ id: 1 })).resolves.toMatchObject({ charges: [] });
  const response = await fetch(`${telegram.url}/_fake/nonsense`, { method: "POST" });
  expect(response.status).toBe(404);
});

test("a closed fake stops answering, and await using closes it", async () => {
  let url = "";
  {
    await using telegram = await fakeTelegram();
    url = telegram.url;
    await connectFakeTelegram(url).bots();
  }
  await expect(connectFakeTelegram(url).bots()).rejects.toThrow();
});
