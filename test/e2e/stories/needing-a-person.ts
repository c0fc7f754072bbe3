import type { FakeUser } from "bookonce/testing";
import { expect, test, vi } from "vitest";
import { ask, buttonsOf, order, patient, saidTo, told } from "../../support/bot-buyer.ts";
import { type BotShop, purse } from "../../support/bot-shop.ts";
import { price } from "../../support/bot-world.ts";

const review = /^Your payment has arrived, but it does not match a booking\. A person is looking at it/;
const slow = /^Returning your 500 Stars takes longer than usual\. A person is looking at it; nothing is lost\.$/;
const onTheWay = /on the way back/;
const returned = /^Your 500 Stars have been returned\.$/;

/** Money that no program can decide about: whoever paid is told the truth, and the owner what to do. */
export function needingAPerson({ world, owner, startAll, buyer, buy }: BotShop): void {
  const paymentOf = async (chargeId: string) => {
    const [payment] = await world().bookonce.payments.find({ chargeId });
    if (payment === undefined) throw new Error(`there is no payment ${chargeId}`);
    return payment;
  };
  const refundOf = async (chargeId: string) => {
    const [refund] = await world().bookonce.refunds.ofPayment((await paymentOf(chargeId)).id);
    return refund;
  };

  /** An invoice of the bot's with this payload, that anybody may pay. */
  async function link(payload: string, amount: number): Promise<string> {
    const response = await fetch(`${world().telegram.url}/bot${world().bot.token}/createInvoiceLink`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        title: "Consultation",
        description: "Made up",
        payload,
        currency: "XTR",
        prices: [{ label: "Consultation", amount }],
      }),
    });
    const { result } = (await response.json()) as { result: string };
    return result;
  }

  async function charged(person: FakeUser, invoice: string): Promise<string> {
    const outcome = await person.pay(invoice, { faults: { skipPreCheckout: true } });
    if (outcome.outcome !== "paid") throw new Error(JSON.stringify(outcome));
    return outcome.chargeId;
  }

  test("S9 a payment that does not match: whoever paid is told, and the owner; the booking's customer hears nothing", async () => {
    const [alice, bob] = [buyer(), buyer()];
    await ask(bob, "/start", /Choose a day/);
    await order(alice, 2);
    const [booking] = await world().bookonce.bookings.ofCustomer(`telegram:${alice.id}`);
    const chargeId = await charged(bob, await link(booking?.payload ?? "", price));
    await told(bob, review);
    await told(
      owner(),
      new RegExp(`^A payment waits for you \\(wrong_payer\\): .*telegram:${bob.id}, charge ${chargeId}`),
    );
    await ask(bob, `/paysupport ${chargeId}`, /^500 Stars\. A person is looking at it\./);
    expect(await saidTo(alice, review)).toEqual([]);

    await world().bookonce.reviews.refund({ paymentId: (await paymentOf(chargeId)).id, actor: "olga" });
    await told(bob, returned);
    expect(await bob.stars()).toBe(purse);
    expect(await saidTo(alice, returned)).toEqual([]);
  });

  test("S12 a payment that fits no booking at all: told, looked at, and returned, to whoever paid", async () => {
    const bob = buyer();
    await ask(bob, "/start", /Choose a day/);
    const chargeId = await charged(bob, await link("bko1_nobody-knows-it", price));
    await told(bob, review);
    await told(owner(), new RegExp(`^A payment waits for you \\(unknown_booking\\): .*charge ${chargeId}`));
    await world().bookonce.reviews.refund({ paymentId: (await paymentOf(chargeId)).id, actor: "olga" });
    await told(bob, returned);
    expect(await bob.stars()).toBe(purse);
  });

  test("S12 a refund that Telegram refuses: said to take longer, never to be on the way; and returned once a person has seen to it", async () => {
    const alice = buyer();
    const { chargeId, message } = await buy(alice, 2);
    const refusal = { code: 400, description: "Bad Request: CHARGE_NOT_FOUND" };
    await world().telegram.faults.method("refundStarPayment", { error: refusal, times: "always" });
    const list = await ask(alice, "/bookings", /^Your bookings/);
    await alice.press(buttonsOf(list, "cancel:")[0] ?? "", { on: list });
    await told(alice, slow, message);
    await told(owner(), new RegExp(`^A refund waits for you \\(.*CHARGE_NOT_FOUND.*\\): .*charge ${chargeId}`));
    await ask(alice, `/paysupport ${chargeId}`, /^500 Stars\. Returning your Stars takes longer than usual/);

    await world().telegram.faults.clear();
    const refundId = (await refundOf(chargeId))?.id ?? "";
    await world().bookonce.refunds.retry({ refundId, actor: "olga" });
    await told(alice, returned, message);
    expect(await alice.stars()).toBe(purse);
  });

  test("S12 a refund that waits for a person before anybody was told is never called on the way", async () => {
    const alice = buyer();
    const { chargeId, message } = await buy(alice, 2);
    await world().stopAll();
    const { bookonce } = world();
    const bookingId = (await paymentOf(chargeId)).bookingId ?? "";
    await bookonce.cancel({ bookingId, customer: `telegram:${alice.id}` });
    await bookonce.refunds.run({
      provider: "telegram_stars",
      refund: async () => ({ answer: "refused", error: "CHARGE_NOT_FOUND" }),
    });
    await startAll();
    await told(alice, /^Your booking is cancelled: .*, local time, Tashkent\.$/, message);
    await told(alice, slow, message);
    expect(await saidTo(alice, onTheWay)).toEqual([]);

    await bookonce.refunds.retry({ refundId: (await refundOf(chargeId))?.id ?? "", actor: "olga" });
    await told(alice, returned, message);
    await vi.waitFor(async () => expect(await alice.stars()).toBe(purse), patient);
  });
}
