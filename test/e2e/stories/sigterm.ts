import { describe, expect, test, vi } from "vitest";
import { order, patient, told } from "../../support/bot-buyer.ts";
import { type BotShop, booked } from "../../support/bot-shop.ts";

/** The bot is told to stop while it is at work. */
export function sigterm({ world, processes, startAll, buyer, bookingsOf }: BotShop): void {
  /** Holds the row lock of something that the bot must wait for. */
  async function holding<Result>(sql: string, meanwhile: (release: () => Promise<void>) => Promise<Result>) {
    const client = await world().pool.connect();
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
      const { rowCount } = await world().pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      expect(rowCount).toBeGreaterThan(0);
    }, patient);

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
      await world().telegram.clock.advance({ seconds: 20 });
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
        const delivered = world().telegram.clock.advance(receiptDelay);
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
    const running = world().processes();
    const ended = world().stopAll();
    await vi.waitFor(() => expect(running.every((one) => one.output().includes("stopping"))).toBe(true), patient);
    await release();
    return ended;
  }
}
