import { expect, test, vi } from "vitest";
import { ask, buttonsOf, order, patient, saidTo, told } from "../../support/bot-buyer.ts";
import { type BotShop, booked, purse } from "../../support/bot-shop.ts";
import { price } from "../../support/bot-world.ts";

/** Whose money it is: what is paid for, by whom, and how it comes back. */
export function money({ world, buyer, buy }: BotShop): void {
  test("cancel: the refund is on its way, and called returned only when it is (S12)", async () => {
    const alice = buyer();
    const { chargeId, message } = await buy(alice);
    await world().telegram.faults.serverError("refundStarPayment", { times: "always" });
    const list = await ask(alice, "/bookings", /^Your bookings/);
    const cancel = buttonsOf(list, "cancel:")[0] ?? "";
    await alice.press(cancel, { on: list });
    await told(alice, /^Your booking is cancelled: .*\. Your 500 Stars are on the way back/, message);

    const [payment] = await world().bookonce.payments.find({ chargeId });
    const refund = async () => (await world().bookonce.refunds.ofPayment(payment?.id ?? ""))[0];
    await vi.waitFor(async () => expect(await refund()).toMatchObject({ state: "unconfirmed" }), patient);
    expect(await saidTo(alice, /have been returned/)).toEqual([]);
    await ask(alice, `/paysupport ${chargeId}`, /on the way back to you/);
    await alice.press(cancel, { on: list });
    await told(alice, /^This booking was cancelled/, list);

    await world().telegram.faults.clear();
    await world().clock.advance(60_000);
    await told(alice, /^Your 500 Stars have been returned/, list);
    expect(await refund()).toMatchObject({ state: "completed" });
    expect(await alice.stars()).toBe(purse);
    await ask(alice, `/paysupport ${chargeId}`, /All Stars were returned to you/);
    await ask(alice, "/bookings", /no bookings/);
  });

  test("an invoice is for the one who ordered it (B37)", async () => {
    const [alice, bob] = [buyer(), buyer()];
    const invoice = await order(alice);
    await ask(bob, "/start", /Choose a day/);
    expect(await bob.pay(invoice)).toEqual({ outcome: "failed", reason: "INVOICE_NOT_PAYABLE" });

    // A copy that does carry a Pay button, such as a link with the same payload.
    const [booking] = await world().bookonce.bookings.ofCustomer(`telegram:${alice.id}`);
    const response = await fetch(`${world().telegram.url}/bot${world().bot.token}/createInvoiceLink`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        title: "Consultation",
        description: "A copy",
        payload: booking?.payload,
        currency: "XTR",
        prices: [{ label: "Consultation", amount: price }],
      }),
    });
    const { result: link } = (await response.json()) as { result: string };
    expect(await bob.pay(link)).toEqual({
      outcome: "rejected",
      message: "This invoice is for somebody else. Please choose a time for yourself.",
    });
    expect(await bob.stars()).toBe(purse);
    expect(await alice.pay(invoice)).toMatchObject({ outcome: "paid" });
    await told(alice, booked);
  });

  test("/paysupport tells of one's own charge only", async () => {
    const [alice, mallory] = [buyer(), buyer()];
    const { chargeId } = await buy(alice, 2);
    await ask(alice, "/paysupport", /transaction id/);
    await ask(alice, `/paysupport ${chargeId}`, /^500 Stars\. It paid for your booking/);
    await ask(mallory, `/paysupport ${chargeId}`, /no payment of yours/);
    await ask(mallory, "/paysupport nothing-like-it", /no payment of yours/);
  });
}
