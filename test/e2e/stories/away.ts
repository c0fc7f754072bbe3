import { expect, test, vi } from "vitest";
import { order, patient, told } from "../../support/bot-buyer.ts";
import { type BotShop, booked } from "../../support/bot-shop.ts";
import { cleanEnd } from "../../support/bot-world.ts";

/** The bot was away when it was needed: nobody loses a booking or a Star. */
export function away({ world, processes, startAll, buyer, bookingsOf }: BotShop): void {
  const answered = async (): Promise<number> => {
    const calls = await world().telegram.calls({ method: "answerPreCheckoutQuery" });
    return calls.filter(({ reply }) => reply?.ok === true).length;
  };

  test("a receipt that never comes is found in Telegram's ledger when the bot starts (S13)", async () => {
    const alice = buyer();
    const invoice = await order(alice, 4);
    expect(await alice.pay(invoice, { faults: { receipt: "lost" } })).toMatchObject({ outcome: "paid" });
    expect(await bookingsOf(alice, "confirmed")).toBe(0);
    expect(await world().stopAll()).toEqual(Array(processes).fill(cleanEnd));
    await startAll();
    await told(alice, booked, invoice);
  });

  test("the bot is killed between pre-checkout and receipt", async () => {
    const alice = buyer();
    const invoice = await order(alice, 4);
    const before = await answered();
    const paying = alice.pay(invoice, { faults: { chargeDelay: { seconds: 20 } } });
    await vi.waitFor(async () => expect(await answered()).toBe(before + 1), patient);
    expect(await world().stopAll("SIGKILL")).toEqual(Array(processes).fill("SIGKILL"));
    await world().telegram.clock.advance({ seconds: 20 });
    expect(await paying).toMatchObject({ outcome: "paid" });
    await startAll();
    await told(alice, booked, invoice);
  });

  test("updates that were dropped while the bot was away cost nobody a booking (B24)", async () => {
    const alice = buyer();
    const invoice = await order(alice, 4);
    const before = await answered();
    const paying = alice.pay(invoice, { faults: { chargeDelay: { seconds: 20 } } });
    await vi.waitFor(async () => expect(await answered()).toBe(before + 1), patient);
    await world().stopAll();
    await world().telegram.clock.advance({ seconds: 20 });
    expect(await paying).toMatchObject({ outcome: "paid" });
    const drop = `${world().telegram.url}/bot${world().bot.token}/deleteWebhook?drop_pending_updates=true`;
    expect((await fetch(drop)).status).toBe(200);
    expect(await world().telegram.updates.pending()).toEqual([]);
    await startAll();
    await told(alice, booked, invoice);
  });
}
