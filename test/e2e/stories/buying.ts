import { expect, test, vi } from "vitest";
import { ask, openDay, order, patient, saidTo, timesOn, told } from "../../support/bot-buyer.ts";
import { type BotShop, booked, purse } from "../../support/bot-shop.ts";
import { price } from "../../support/bot-world.ts";

/** From a day to a booking, in however many presses. */
export function buying({ world, buyer, buy, bookingsOf }: BotShop): void {
  test("day, time, invoice, pre-checkout, receipt, and all that the winner must know (B17)", async () => {
    const alice = buyer();
    expect((await ask(alice, "/terms", /24 hours before/)).text).toContain("/paysupport");
    await ask(alice, "/bookings", /no bookings/);
    const invoice = await order(alice);
    expect(invoice.invoice).toMatchObject({ currency: "XTR", totalAmount: price });
    expect(invoice.invoice?.description).toMatch(/, local time, Tashkent\./);
    expect(await alice.pay(invoice)).toMatchObject({ outcome: "paid" });
    await told(alice, booked, invoice);
    await ask(alice, "/bookings", /^Your bookings:\n1\. .*, local time, Tashkent, 60 minutes$/);
    expect(await alice.stars()).toBe(purse - price);
    expect(await bookingsOf(alice, "confirmed")).toBe(1);
    expect(await saidTo(alice, /^You are booked/)).toHaveLength(1);
  });

  test("a double press is one booking, and is charged once", async () => {
    const alice = buyer();
    const screen = await openDay(alice);
    const time = timesOn(screen)[0] ?? "";
    await Promise.all([alice.press(time, { on: screen }), alice.press(time, { on: screen })]);
    const invoices = await vi.waitFor(async () => {
      const all = (await alice.chat.messages()).filter((message) => message.invoice !== undefined);
      expect(all).toHaveLength(2);
      return all;
    }, patient);
    expect(await bookingsOf(alice, "pending")).toBe(1);
    expect(await alice.pay(invoices[0])).toMatchObject({ outcome: "paid" });
    await told(alice, booked);
    expect(await alice.pay(invoices[1])).toMatchObject({ outcome: "rejected", message: /already paid/ });
    expect(await alice.stars()).toBe(purse - price);

    await alice.press(time, { on: screen });
    await told(alice, /is yours already/, invoices[1]);
  });

  test("two purchases of one person, one after the other (B32)", async () => {
    const alice = buyer();
    const first = await buy(alice, 2);
    const second = await buy(alice, 2);
    expect(second.chargeId).not.toBe(first.chargeId);
    expect(await bookingsOf(alice, "confirmed")).toBe(2);
    expect(await saidTo(alice, /^You are booked/)).toHaveLength(2);
  });

  test("somebody who has blocked the bot holds up nobody else", async () => {
    const [gone, alice] = [buyer(), buyer()];
    const invoice = await order(gone, 3);
    const paid = gone.pay(invoice, { faults: { receiptDelay: { seconds: 20 } } });
    expect(await paid).toMatchObject({ outcome: "paid" });
    await gone.block();
    await world().telegram.clock.advance({ seconds: 20 });
    await vi.waitFor(async () => expect(await bookingsOf(gone, "confirmed")).toBe(1), patient);
    await buy(alice, 3);
    await vi.waitFor(async () => {
      const { rowCount } = await world().pool.query("select from bookonce.events where delivered_at is null");
      expect(rowCount).toBe(0);
    }, patient);
    expect(await saidTo(gone, /^You are booked/)).toEqual([]);
  });
}
