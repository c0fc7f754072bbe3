import type { ChatMessage, FakeUser } from "bookonce/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ask, choose, openDay, order, patient, saidTo, timesOn, told } from "../support/bot-buyer.ts";
import { type BotWorld, cleanEnd, type Delivery, openWorld, price } from "../support/bot-world.ts";

const purse = 5_000;
const booked = /^Booked: \w{3} \d{1,2} \w{3}, \d\d:\d\d \(Tashkent time\), 60 minutes with Anna\..*\/bookings/;

/** What the example bot does for its customers, in whichever way its updates come. */
export function botStories(delivery: Delivery, processes: number): void {
  const name = `the example bot, ${delivery}, ${processes} process${processes === 1 ? "" : "es"}`;
  describe(name, { timeout: 180_000 }, () => {
    let world: BotWorld;

    beforeAll(async () => {
      world = await openWorld({ delivery });
      await startAll();
    }, 180_000);
    afterAll(() => world.close());

    const startAll = () => Promise.all(Array.from({ length: processes }, () => world.start()));
    const buyer = (language_code = "en"): FakeUser => world.telegram.user({ stars: purse, language_code });

    async function buy(person: FakeUser, day?: number): Promise<{ chargeId: string; message: ChatMessage }> {
      const invoice = await order(person, day);
      const outcome = await person.pay(invoice);
      if (outcome.outcome !== "paid") throw new Error(`not paid: ${JSON.stringify(outcome)}`);
      return { chargeId: outcome.chargeId, message: await told(person, booked, invoice) };
    }

    const bookingsOf = async (person: FakeUser, state: string): Promise<number> => {
      const all = await world.bookonce.bookings.ofCustomer(`telegram:${person.id}`);
      return all.filter((booking) => booking.state === state).length;
    };

    const answered = async (): Promise<number> => {
      const calls = await world.telegram.calls({ method: "answerPreCheckoutQuery" });
      return calls.filter(({ reply }) => reply?.ok === true).length;
    };

    /** Holds the row lock of something that the bot must wait for. */
    async function holding<Result>(sql: string, meanwhile: (release: () => Promise<void>) => Promise<Result>) {
      const client = await world.pool.connect();
      const release = async () => void (await client.query("rollback"));
      try {
        await client.query("begin");
        await client.query(sql);
        return await meanwhile(release);
      } finally {
        await client.query("rollback");
        client.release();
      }
    }

    const somebodyWaits = () =>
      vi.waitFor(async () => {
        const { rowCount } = await world.pool.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        expect(rowCount).toBeGreaterThan(0);
      }, patient);

    test("day, time, invoice, pre-checkout, receipt, and all that the winner must know (B17)", async () => {
      const alice = buyer();
      expect((await ask(alice, "/terms", /24 hours before/)).text).toContain("/paysupport");
      await ask(alice, "/bookings", /no bookings/);
      const invoice = await order(alice);
      expect(invoice.invoice).toMatchObject({ currency: "XTR", totalAmount: price });
      expect(invoice.invoice?.description).toMatch(/\(Tashkent time\)/);
      expect(await alice.pay(invoice)).toMatchObject({ outcome: "paid" });
      await told(alice, booked, invoice);
      await ask(alice, "/bookings", /^Your bookings:\n• .*Tashkent time\), 60 minutes$/);
      expect(await alice.stars()).toBe(purse - price);
      expect(await bookingsOf(alice, "confirmed")).toBe(1);
      expect(await saidTo(alice, /^Booked/)).toHaveLength(1);
    });

    test("two press Pay for one time: one is charged, the other refused before it and shown free times (B17)", async () => {
      const people = [buyer(), buyer()];
      await Promise.all(people.map((person) => order(person)));
      const outcomes = await Promise.all(people.map((person) => person.pay()));
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["paid", "rejected"]);
      const lost = outcomes.findIndex(({ outcome }) => outcome === "rejected");
      const loser = people[lost] as FakeUser;
      expect(outcomes[lost]).toMatchObject({ message: "This time has just been taken. Please choose another one." });
      expect(await loser.stars()).toBe(purse);

      const offer = await told(loser, /just been taken by somebody else\. You were not charged/);
      expect(timesOn(offer)).not.toHaveLength(0);
      const invoice = await choose(loser, offer);
      expect(await loser.pay(invoice)).toMatchObject({ outcome: "paid" });
      await told(loser, booked, invoice);
    });

    test.each([
      ["ru", "Это время только что заняли. Выберите другое."],
      ["uz", "Bu vaqt hozirgina band qilindi. Boshqa vaqtni tanlang."],
    ])("a buyer whose language is %s reads the refusal in it", async (language, words) => {
      const [winner, loser] = [buyer(), buyer(language)];
      await Promise.all([order(winner), order(loser)]);
      expect(await winner.pay()).toMatchObject({ outcome: "paid" });
      expect(await loser.pay()).toEqual({ outcome: "rejected", message: words });
    });

    test("cancel: the refund is on its way, and called returned only when it is (S12)", async () => {
      const alice = buyer();
      const { chargeId, message } = await buy(alice);
      await world.telegram.faults.serverError("refundStarPayment", { times: "always" });
      const list = await ask(alice, "/bookings", /^Your bookings/);
      const cancel = list.buttons.flat()[0]?.data ?? "";
      await alice.press(cancel, { on: list });
      await told(alice, /is cancelled\. Your Stars are on the way back/, message);

      const [payment] = await world.bookonce.payments.find({ chargeId });
      const refund = async () => (await world.bookonce.refunds.ofPayment(payment?.id ?? ""))[0];
      await vi.waitFor(async () => expect(await refund()).toMatchObject({ state: "unconfirmed" }), patient);
      expect(await saidTo(alice, /were returned/)).toEqual([]);
      await ask(alice, `/paysupport ${chargeId}`, /on the way back to you/);
      await alice.press(cancel, { on: list });
      await told(alice, /was cancelled before/, list);

      await world.telegram.faults.clear();
      await world.clock.advance(60_000);
      await told(alice, /^Your 500 Stars were returned/, list);
      expect(await refund()).toMatchObject({ state: "completed" });
      expect(await alice.stars()).toBe(purse);
      await ask(alice, `/paysupport ${chargeId}`, /All Stars were returned to you/);
      await ask(alice, "/bookings", /no bookings/);
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

    test("a button of an old screen asks, and is told what is free now (B55)", async () => {
      const [alice, bob] = [buyer(), buyer()];
      const [old, current] = [await openDay(alice), await openDay(bob)];
      const time = timesOn(old)[0] ?? "";
      const invoice = await choose(bob, current, time);
      expect(await bob.pay(invoice)).toMatchObject({ outcome: "paid" });
      await told(bob, booked);
      await alice.press(time, { on: old });
      const offer = await told(alice, /just been taken/, old);
      expect(timesOn(offer)).not.toHaveLength(0);
      expect(timesOn(offer)).not.toContain(time);
      expect(await bookingsOf(alice, "pending")).toBe(0);
    });

    test("an invoice is for the one who ordered it (B37)", async () => {
      const [alice, bob] = [buyer(), buyer()];
      const invoice = await order(alice);
      await ask(bob, "/start", /Choose a day/);
      expect(await bob.pay(invoice)).toEqual({ outcome: "failed", reason: "INVOICE_NOT_PAYABLE" });

      // A copy that does carry a Pay button, such as a link with the same payload.
      const [booking] = await world.bookonce.bookings.ofCustomer(`telegram:${alice.id}`);
      const response = await fetch(`${world.telegram.url}/bot${world.bot.token}/createInvoiceLink`, {
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

    test("two purchases of one person, one after the other (B32)", async () => {
      const alice = buyer();
      const first = await buy(alice, 2);
      const second = await buy(alice, 2);
      expect(second.chargeId).not.toBe(first.chargeId);
      expect(await bookingsOf(alice, "confirmed")).toBe(2);
      expect(await saidTo(alice, /^Booked/)).toHaveLength(2);
    });

    test("somebody who has blocked the bot holds up nobody else", async () => {
      const [gone, alice] = [buyer(), buyer()];
      const invoice = await order(gone, 3);
      const paid = gone.pay(invoice, { faults: { receiptDelay: { seconds: 20 } } });
      expect(await paid).toMatchObject({ outcome: "paid" });
      await gone.block();
      await world.telegram.clock.advance({ seconds: 20 });
      await vi.waitFor(async () => expect(await bookingsOf(gone, "confirmed")).toBe(1), patient);
      await buy(alice, 3);
      await vi.waitFor(async () => {
        const { rowCount } = await world.pool.query("select from bookonce.events where delivered_at is null");
        expect(rowCount).toBe(0);
      }, patient);
      expect(await saidTo(gone, /^Booked/)).toEqual([]);
    });

    test("a receipt that never comes is found in Telegram's ledger when the bot starts (S13)", async () => {
      const alice = buyer();
      const invoice = await order(alice, 4);
      expect(await alice.pay(invoice, { faults: { receipt: "lost" } })).toMatchObject({ outcome: "paid" });
      expect(await bookingsOf(alice, "confirmed")).toBe(0);
      expect(await world.stopAll()).toEqual(Array(processes).fill(cleanEnd));
      await startAll();
      await told(alice, booked, invoice);
    });

    test("the bot is killed between pre-checkout and receipt", async () => {
      const alice = buyer();
      const invoice = await order(alice, 4);
      const before = await answered();
      const paying = alice.pay(invoice, { faults: { chargeDelay: { seconds: 20 } } });
      await vi.waitFor(async () => expect(await answered()).toBe(before + 1), patient);
      expect(await world.stopAll("SIGKILL")).toEqual(Array(processes).fill("SIGKILL"));
      await world.telegram.clock.advance({ seconds: 20 });
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
      await world.stopAll();
      await world.telegram.clock.advance({ seconds: 20 });
      expect(await paying).toMatchObject({ outcome: "paid" });
      const drop = `${world.telegram.url}/bot${world.bot.token}/deleteWebhook?drop_pending_updates=true`;
      expect((await fetch(drop)).status).toBe(200);
      expect(await world.telegram.updates.pending()).toEqual([]);
      await startAll();
      await told(alice, booked, invoice);
    });

    // Windows has no SIGTERM to speak of: it ends the process at once.
    describe.skipIf(process.platform === "win32")("SIGTERM: what is in hand is finished, and the end is clean", () => {
      const locked = "select from bookonce.resources for update";

      test("a pre-checkout", async () => {
        const alice = buyer();
        const invoice = await order(alice, 4);
        const paying = holding(locked, async (release) => {
          const outcome = alice.pay(invoice, { faults: { chargeDelay: { seconds: 20 } } });
          await somebodyWaits();
          expect(await stopWith(release)).toEqual(Array(processes).fill(0));
          return { outcome };
        });
        const { outcome } = await paying;
        expect(await bookingsOf(alice, "held")).toBe(1);
        await world.telegram.clock.advance({ seconds: 20 });
        expect(await outcome).toMatchObject({ outcome: "paid" });
        await startAll();
        await told(alice, booked, invoice);
      });

      test("a receipt", async () => {
        const alice = buyer();
        const invoice = await order(alice, 4);
        const receiptDelay = { seconds: 20 };
        expect(await alice.pay(invoice, { faults: { receiptDelay } })).toMatchObject({ outcome: "paid" });
        await holding(locked, async (release) => {
          // A webhook's delivery ends only when the bot has answered, for which the clock waits.
          const delivered = world.telegram.clock.advance(receiptDelay);
          await somebodyWaits();
          expect(await stopWith(release)).toEqual(Array(processes).fill(0));
          await delivered;
        });
        expect(await bookingsOf(alice, "confirmed")).toBe(1);
        await startAll();
        await told(alice, booked, invoice);
      });
    });

    /** Sends SIGTERM, and lets the bot go on when it has taken notice. */
    async function stopWith(release: () => Promise<void>): Promise<(number | NodeJS.Signals)[]> {
      const running = world.processes();
      const ended = world.stopAll();
      await vi.waitFor(() => expect(running.every((one) => one.output().includes("stopping"))).toBe(true), patient);
      await release();
      return ended;
    }
  });
}
