import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import * as terminal from "./terminal.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  await db.bookonce.resources.put({ id: "anna" });
});
afterAll(() => db.drop());

const cli = (args: readonly string[], env?: Record<string, string>) => terminal.cli(db, args, env);
const json = (...args: string[]) => terminal.json(db, ...args);

let day = 0;
/** A charge that no booking fits: it waits for a person. */
async function unmatchedPayment(chargeId: string, provider = "telegram_stars"): Promise<string> {
  const confirmed = await db.bookonce.confirmPayment({
    provider,
    account: "1",
    chargeId,
    payload: "bko1_of-another-database",
    payer: "telegram:7",
    amount: 5,
    currency: "XTR",
  });
  if (confirmed.outcome !== "unmatched") throw new Error(`unexpected outcome ${confirmed.outcome}`);
  return confirmed.payment.id;
}

async function heldBooking(): Promise<string> {
  day += 1;
  const reserved = await db.bookonce.reserveSlot({
    customer: "telegram:7",
    resources: ["anna"],
    start: new Date(Date.now() + day * 86_400_000),
    duration: { minutes: 60 },
    price: { amount: 5, currency: "XTR" },
  });
  if (reserved.outcome !== "reserved") throw new Error(`unexpected outcome ${reserved.outcome}`);
  return reserved.booking.id;
}

describe("schema", () => {
  test("migrate creates the tables once, in the schema that was asked for", async () => {
    const schema = 'made by "the" command line';
    const first = await cli(["--schema", schema, "migrate", "--json"]);
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(first.out)).toEqual({ applied: expect.arrayContaining(["paid_slots"]) });
    expect(await cli(["migrate", "--schema", schema])).toMatchObject({ code: 0, out: "Everything was up to date.\n" });
    const tables = await db.pool.query("select from information_schema.tables where table_schema = $1", [schema]);
    expect(tables.rowCount).toBeGreaterThan(5);
  });

  test("sql prints what migrate runs, without a database", async () => {
    const printed = await cli(["sql"], {});
    expect(printed).toMatchObject({ code: 0, out: db.bookonce.migrationSql() });
  });

  test("a command on a database without our tables says what to do", async () => {
    const audit = await cli(["--schema", "nowhere", "audit"]);
    expect(audit).toMatchObject({ code: 1, out: "" });
    expect(audit.err).toMatch(
      /^not_migrated: .*\n {2}schema "nowhere" does not exist\n {2}Run `bookonce migrate` first\.\n$/,
    );
  });
});

describe("payments that wait for a person", () => {
  test("can be listed, refunded, and the refund resolved", async () => {
    const paymentId = await unmatchedPayment("to-refund");
    expect((await cli(["reviews", "list"])).out).toMatch(new RegExp(`${paymentId} +unmatched: unknown_booking +5 XTR`));
    expect(await json("reviews", "list")).toMatchObject([{ id: paymentId, chargeId: "to-refund" }]);

    const refunded = await cli(["reviews", "refund", paymentId, "--note", "paid to the wrong bot"]);
    expect(refunded).toMatchObject({ code: 0, err: "" });
    expect(refunded.out).toContain("refund queued: 5 XTR");
    expect((await cli(["reviews", "list"])).out).toBe("No payment waits for a person.\n");

    const [refund] = await db.bookonce.refunds.list();
    if (refund === undefined) throw new Error("no refund was queued");
    expect((await cli(["refunds", "list"])).out).toMatch(new RegExp(`${refund.id} +pending +5 XTR +review`));
    expect(await json("refunds", "list", "--state", "completed")).toEqual([]);

    expect(await cli(["refunds", "retry", refund.id])).toMatchObject({ code: 1, out: "" });
    expect(await json("refunds", "resolve", refund.id, "--note", "by hand", "--actor", "ann")).toMatchObject({
      id: refund.id,
      state: "completed",
      completedBy: "ann",
      note: "by hand",
    });
    expect((await cli(["refunds", "list"])).out).toBe("No refund is waiting.\n");
  });

  test("can be attached to a booking, in the name of whoever did it", async () => {
    const paymentId = await unmatchedPayment("to-attach");
    const bookingId = await heldBooking();
    const attached = await cli(["reviews", "attach", paymentId, bookingId]);
    expect(attached).toMatchObject({ code: 0, out: `attached: booking ${bookingId} is confirmed\n` });
    expect(await db.bookonce.payments.find({ bookingId })).toMatchObject([{ id: paymentId, reviewedBy: "cli:test" }]);
    const again = await cli(["reviews", "attach", paymentId, bookingId]);
    expect(again).toMatchObject({ code: 1, out: "refused: not_in_review\n" });
  });

  test("can be closed, with a note", async () => {
    const paymentId = await unmatchedPayment("to-close");
    expect(await cli(["reviews", "close", paymentId])).toMatchObject({ code: 2 });
    expect(await json("reviews", "close", paymentId, "--note", "returned in cash")).toMatchObject({
      outcome: "closed",
    });
  });

  test("a refund that needs attention can be given back to the workers", async () => {
    const paymentId = await unmatchedPayment("to-retry");
    await db.bookonce.reviews.refund({ paymentId, actor: "ann" });
    const refuser = {
      provider: "telegram_stars",
      refund: () => Promise.resolve({ answer: "refused" as const, error: "USER_NOT_FOUND" }),
    };
    expect(await db.bookonce.refunds.run(refuser)).toMatchObject({ needsAttention: 1 });
    const listed = (await json("refunds", "list", "--state", "needs_attention")) as { id: string; lastError: string }[];
    expect(listed).toMatchObject([{ lastError: "USER_NOT_FOUND" }]);
    // A call was made: what became of it is looked up before another is.
    expect(await json("refunds", "retry", listed[0]?.id ?? "")).toMatchObject({ state: "unconfirmed" });
  });

  test("S16: a refund that no worker can make is said to be one for a person, and is not given to the workers", async () => {
    const paymentId = await unmatchedPayment("by-hand", "acme");
    const reviewed = await cli(["reviews", "refund", paymentId]);
    expect(reviewed).toMatchObject({ code: 0, err: "" });
    expect(reviewed.out).toMatch(/^to be returned by hand: 5 XTR, refund (\S+)\n {2}acme has no refund call/);
    const refundId = /refund (\S+)\n/.exec(reviewed.out)?.[1] ?? "";

    const refused = await cli(["refunds", "retry", refundId]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(/^not_allowed: No refund call of acme is known here.*--refunds-by-api/);
    // The program beside which the command runs may have a worker for it: only a person can know.
    expect(await json("refunds", "retry", refundId, "--refunds-by-api", "acme")).toMatchObject({ state: "pending" });
    await db.bookonce.refunds.resolve({ refundId, actor: "test", note: "done" });
  });
});

describe("care", () => {
  test("audit is content, then exits with 1 and names what a foreign hand broke", async () => {
    const content = await cli(["audit"]);
    expect(content).toMatchObject({ code: 0, err: "" });
    expect(content.out).toContain("Every payment is accounted for.");
    expect(await json("audit")).toMatchObject({ ok: true, unaccounted: 0 });

    const bookingId = await heldBooking();
    await db.pool.query(
      `update ${db.schema}.bookings set state = 'confirmed', hold_expires_at = null, confirmed_at = now() where id = $1`,
      [bookingId],
    );
    const broken = await cli(["audit"]);
    expect(broken.code).toBe(1);
    expect(broken.out).toMatch(new RegExp(`confirmed_without_payment +${bookingId}`));
    expect(await cli(["audit", "--json"])).toMatchObject({ code: 1 });
    await db.bookonce.cancel({ bookingId, administrator: "test" });
  });

  test("sweep writes down what has lapsed", async () => {
    await heldBooking();
    await db.clock.advance(3_600_000);
    expect(await cli(["sweep"])).toMatchObject({ code: 0, out: "1 lapsed booking written down.\n" });
    expect(await json("sweep")).toEqual({ expired: 0 });
    await db.clock.reset();
  });

  test("parked events are listed and replayed", async () => {
    const poisoned = () => Promise.reject(new Error("no such chat"));
    await db.bookonce.events.run(poisoned, { parkAfter: 1 });
    const parked = (await json("events", "parked")) as { id: number }[];
    const id = parked[0]?.id ?? 0;
    expect((await cli(["events", "parked"])).out).toMatch(new RegExp(`^${id} .*no such chat$`, "m"));
    expect(await cli(["events", "replay", String(id)])).toMatchObject({
      code: 0,
      out: `will be delivered again: ${id}\n`,
    });
    expect(await json("events", "parked")).not.toContainEqual(expect.objectContaining({ id }));
    expect(await cli(["events", "replay", "one"])).toMatchObject({ code: 1, out: "" });
  });
});

describe("called wrongly", () => {
  test("without a database, an address is asked for", async () => {
    expect(await cli(["audit"], {})).toMatchObject({
      code: 1,
      err: "error: Which database? Give --database-url, or set DATABASE_URL.\n",
    });
  });

  test("a database that is not there is named as the reason; --json keeps errors readable for programs", async () => {
    const nowhere = ["--database-url", "postgres://127.0.0.1:1/none", "audit"];
    const refused = await cli(nowhere);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(/^unavailable: .*\n {2}.*ECONNREFUSED/);
    expect(JSON.parse((await cli([...nowhere, "--json"])).err)).toMatchObject({ error: { code: "unavailable" } });
  });

  test("an unknown command, option or state exits with 2 and prints no stack", async () => {
    for (const args of [["adit"], ["audit", "--jsn"], ["refunds", "list", "--state", "lost"], ["refunds", "retry"]]) {
      const misused = await cli(args);
      expect(misused).toMatchObject({ code: 2, out: "" });
      expect(misused.err).toMatch(/^error: /);
    }
  });

  test("an id that bookonce did not make is refused before anything is written", async () => {
    expect((await cli(["refunds", "retry", "17"])).err).toMatch(/^invalid_input: refunds\.retry: refundId/);
    expect((await cli(["refunds", "retry", "00000000-0000-4000-8000-000000000000"])).err).toMatch(/^unknown_refund: /);
  });

  test("help and version are no errors", async () => {
    expect(await cli(["--version"])).toMatchObject({ code: 0, out: "1.2.3\n" });
    expect((await cli(["refunds", "resolve", "--help"])).out).toContain("--note <text>");
  });
});
