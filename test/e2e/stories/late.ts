import type { ChatMessage, FakeUser } from "bookonce/testing";
import { expect, test, vi } from "vitest";
import { choose, openDay, order, patient, saidTo, told } from "../../support/bot-buyer.ts";
import { type BotShop, booked, purse } from "../../support/bot-shop.ts";
import { price } from "../../support/bot-world.ts";

const graceOver = 6 * 60_000;
const tooLate = /^Your payment came when the time was no longer held for you, .* Your 500 Stars are on the way back/;
const returned = /^Your 500 Stars have been returned\.$/;

/** Holds that lapse while Telegram takes its time: rows of the story's table, with the bot as it runs. */
export function late({ world, startAll, buyer, bookingsOf }: BotShop): void {
  /** Presses Pay; the bot approves, and the charge hangs at Telegram for ten minutes. */
  async function payLater(person: FakeUser, invoice: ChatMessage) {
    const outcome = person.pay(invoice, { faults: { chargeDelay: { minutes: 10 } } });
    await held(person);
    return { charged: () => world().telegram.clock.advance({ minutes: 10 }), outcome };
  }

  const held = (person: FakeUser) => vi.waitFor(async () => expect(await bookingsOf(person, "held")).toBe(1), patient);

  test("S14 a hold lapsed, somebody else booked, then the first pays: the second keeps it, the first is told and refunded", async () => {
    const [first, second] = [buyer(), buyer()];
    const [invoice, other] = [await order(first, 3), await order(second, 3)];
    const { outcome, charged } = await payLater(first, invoice);
    await world().clock.advance(graceOver);
    expect(await second.pay(other)).toMatchObject({ outcome: "paid" });
    await told(second, booked);

    await charged();
    expect(await outcome).toMatchObject({ outcome: "paid" });
    await told(first, tooLate, invoice);
    await told(first, returned, invoice);
    expect(await first.stars()).toBe(purse);
    expect(await second.stars()).toBe(purse - price);
    expect([await bookingsOf(first, "confirmed"), await bookingsOf(second, "confirmed")]).toEqual([0, 1]);
    expect(await saidTo(first, booked)).toEqual([]);
  });

  test("S14 S11 an old invoice is paid after its hold lapsed: refunded, though the time is free", async () => {
    const alice = buyer();
    const invoice = await order(alice, 3);
    const { outcome, charged } = await payLater(alice, invoice);
    await world().clock.advance(graceOver);
    await charged();
    expect(await outcome).toMatchObject({ outcome: "paid" });
    await told(alice, tooLate, invoice);
    await told(alice, returned, invoice);
    expect(await bookingsOf(alice, "confirmed")).toBe(0);
  });

  test("S14 S11 where LATE_PAYMENT is rebookIfFree, it is booked if the time is free, and refunded if it is not", async () => {
    await world().stopAll();
    await world().start({ LATE_PAYMENT: "rebookIfFree" });
    const [alice, bob, carol] = [buyer(), buyer(), buyer()];
    const free = await openDay(alice, 3);
    const lucky = await choose(alice, free, 0);
    const unlucky = await choose(bob, free, 1);
    const other = await choose(carol, free, 1);
    const [hers, his] = [await payLater(alice, lucky), await payLater(bob, unlucky)];
    await world().clock.advance(graceOver);
    expect(await carol.pay(other)).toMatchObject({ outcome: "paid" });
    await hers.charged();
    expect([await hers.outcome, await his.outcome]).toMatchObject([{ outcome: "paid" }, { outcome: "paid" }]);

    await told(alice, booked, lucky);
    expect(await bookingsOf(alice, "confirmed")).toBe(1);
    expect(await saidTo(alice, tooLate)).toEqual([]);
    await told(bob, tooLate, unlucky);
    await told(bob, returned, unlucky);
    expect([await alice.stars(), await bob.stars()]).toEqual([purse - price, purse]);
    await world().stopAll();
    await startAll();
  });

  test("S14 S8 Telegram hears the yes and its reply is lost: the hold stands, the receipt books it", async () => {
    const alice = buyer();
    const invoice = await order(alice, 3);
    await world().telegram.faults.hang("answerPreCheckoutQuery");
    expect(await alice.pay(invoice)).toMatchObject({ outcome: "paid" });
    await told(alice, booked, invoice);
    expect(await bookingsOf(alice, "confirmed")).toBe(1);
    expect(await alice.stars()).toBe(purse - price);
  });

  test("S14 S8 Telegram hears nothing and the buyer waits in vain: the hold stands until it lapses, then the time is free", async () => {
    const [alice, bob] = [buyer(), buyer()];
    const screen = await openDay(bob, 3);
    const invoice = await order(alice, 3);
    await world().telegram.faults.hang("answerPreCheckoutQuery", { effect: "none" });
    const paying = alice.pay(invoice);
    await held(alice);
    await world().telegram.clock.advance({ seconds: 10 });
    expect(await paying).toEqual({ outcome: "timeout" });
    expect(await alice.stars()).toBe(purse);

    expect(await bookingsOf(alice, "held")).toBe(1);
    const time = screen.buttons.flat()[0]?.data ?? "";
    await bob.press(time, { on: screen });
    const refusal = await told(bob, /This time has just been taken/, screen);

    await world().clock.advance(graceOver);
    await told(alice, /is no longer held for you\. .* the old invoice cannot be paid/, invoice);
    expect(await bookingsOf(alice, "held")).toBe(0);
    const freed = await choose(bob, screen, time);
    expect(freed.messageId).toBeGreaterThan(refusal.messageId);
    expect(await bob.pay(freed)).toMatchObject({ outcome: "paid" });
    await told(bob, booked, freed);
    expect(await alice.pay(invoice)).toMatchObject({ outcome: "rejected", message: /no longer held for you/ });
    expect(await alice.stars()).toBe(purse);
  });
}
