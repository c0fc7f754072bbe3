import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createBookonce } from "bookonce";
import { type PgClient, type PgSettings, pgDatabase } from "bookonce/pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { patient } from "../support/bot-buyer.ts";
import { createTestDatabase, type TestDatabase, testSchema } from "../support/database.ts";
import { aResource, book, count, query, receiptOf, type Shop, soon } from "../support/fixtures.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

vi.setConfig({ testTimeout: 180_000 });

// As it travels: a text that ends with a zero byte. BEGIN speaks of "read committed".
const commit = "commit\u0000";

async function ownDatabase(): Promise<TestDatabase> {
  const db = await createTestDatabase();
  onTestFinished(() => db.drop());
  return db;
}

/** An instance whose connections go through a proxy. */
async function throughProxy(
  db: TestDatabase,
  options: { readonly idleMs?: number; readonly pool?: PgSettings } = {},
): Promise<{ shop: Shop; proxy: TcpProxy }> {
  const proxy = await startTcpProxy(db.url);
  const database = pgDatabase({ connectionString: proxy.through(db.url), ...options.pool });
  onTestFinished(async () => {
    // Cutting its connections lets the pool end.
    await proxy.close();
    await database.close();
  });
  const { idleMs } = options;
  const timeouts = idleMs === undefined ? {} : { timeouts: { idleMs } };
  return { shop: createBookonce<PgClient>({ database, schema: testSchema, ...timeouts }), proxy };
}

const asked = (resource: string, customer: string) => ({
  customer,
  resources: [resource],
  start: soon,
  duration: { minutes: 60 },
});

test("a client that falls silent between its flights keeps the slot locked for the idle time-out only", async () => {
  const db = await ownDatabase();
  const resource = await aResource(db.bookonce);
  const { shop, proxy } = await throughProxy(db, { idleMs: 1_000 });
  await shop.bookings.busy({ resources: [resource], from: soon, to: new Date(soon.getTime() + 1) });

  const stalled = proxy.stall(commit, "unheard");
  const silent = shop.reserveSlot(asked(resource, "silent"), { budgetMs: 120_000 });
  await stalled;
  // The locks are taken and nobody goes on: another customer waits for them, and gets her answer.
  const other = await db.bookonce.reserveSlot(asked(resource, "other"), { budgetMs: 20_000 });
  expect(["reserved", "slot_taken"]).toContain(other.outcome === "refused" ? other.reason : other.outcome);
  // The silent one's own call has found out that its connection is lost, and was run again on another.
  const late = await silent;
  expect([other, late].filter(({ outcome }) => outcome === "reserved")).toHaveLength(1);
  expect(await count(db, "claims", "live_until > clock_timestamp()")).toBe(1);
  expect((await db.bookonce.audit()).problems).toEqual([]);
});

test.skipIf(process.platform === "win32")("a process that is stopped in the middle of a transaction, too", async () => {
  const db = await ownDatabase();
  const resource = await aResource(db.bookonce);
  const url = new URL(db.url);
  url.searchParams.set("application_name", "stopped");
  const program = fileURLToPath(new URL("./reserving-process.ts", import.meta.url));
  const args = [url.href, testSchema, resource, soon.toISOString()];
  const child = spawn(process.execPath, ["--import", "tsx", program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  });
  await once(child.stdout, "data");
  const is = async (state: string): Promise<boolean> => {
    const { rowCount } = await db.pool.query(
      "select from pg_stat_activity where datname = current_database() and application_name = 'stopped' and state = $1",
      [state],
    );
    return rowCount !== 0;
  };
  const locked = async (): Promise<boolean> => {
    const { rowCount } = await db.pool.query(
      `select from ${db.schema}.resources where id = $1 for no key update skip locked`,
      [resource],
    );
    return rowCount === 0;
  };

  // Stopped until it is caught with its locks taken: the server has answered all that it was sent, and hears no more.
  await vi.waitFor(
    async () => {
      child.kill("SIGSTOP");
      await vi.waitFor(async () => expect(await is("active")).toBe(false), { ...patient, interval: 5 });
      if ((await is("idle in transaction")) && (await locked())) return;
      child.kill("SIGCONT");
      throw new Error("not caught in a transaction");
    },
    { ...patient, interval: 7 },
  );
  const other = await db.bookonce.reserveSlot(asked(resource, "other"), { budgetMs: 20_000 });
  expect(["reserved", "slot_taken"]).toContain(other.outcome === "refused" ? other.reason : other.outcome);
  expect(await is("idle in transaction")).toBe(false);

  // Awake again, it goes on with another connection: it is refused, or it reserves and cancels.
  child.kill("SIGCONT");
  await vi.waitFor(async () => expect(await is("active")).toBe(true), { ...patient, interval: 5 });
  expect((await db.bookonce.audit()).problems).toEqual([]);
});

/** Everything that a customer may be waiting for, with a short budget; `times` of each. */
async function everyVerb(shop: Shop, booking: Awaited<ReturnType<typeof book>>, times: number): Promise<string[]> {
  const budget = { budgetMs: 1_000 };
  const calls = Array.from({ length: times }, () => [
    shop.reserveSlot(asked(booking.resources[0] ?? "", "nobody"), budget),
    shop.decidePreCheckout(query(booking), budget),
    shop.confirmPayment(receiptOf(booking), budget),
    shop.cancel({ bookingId: booking.id, customer: booking.customer }, budget),
  ]).flat();
  const settled = await Promise.allSettled<{ outcome: string; reason?: unknown }>(calls);
  return settled.map((one) =>
    one.status === "rejected"
      ? `throws ${one.reason.name} ${one.reason.code}`
      : `${one.value.outcome} ${one.value.reason}`,
  );
}

const connections = 3;
const failedClosed = [
  "refused busy",
  "declined unavailable",
  "throws BookonceError unavailable",
  "throws BookonceError unavailable",
];

test.each([
  ["the connections there are go silent", "open ones"],
  ["new ones are accepted and go silent, too", "new too"],
] as const)("a network that swallows everything, %s: no for an answer, in time (B27)", async (_, which) => {
  const db = await ownDatabase();
  // A small pool and a short time-out for connecting: what is dead is found out sooner, and this test need not wait for it.
  const { shop, proxy } = await throughProxy(db, { pool: { max: connections, connectionTimeoutMillis: 2_000 } });
  const booking = await book(shop);
  // As many open connections as the pool may have, all of them idle.
  await Promise.all(Array.from({ length: connections }, () => shop.bookings.get(booking.id)));

  proxy.swallow(which);
  // More than the pool has connections; when this has an answer, nothing has been healed yet.
  const answers = await everyVerb(shop, booking, 5);
  if (which === "new too") expect(answers).toEqual(Array(5).fill(failedClosed).flat());
  else for (const answer of answers) expect(answer).not.toMatch(/^throws (?!BookonceError unavailable)/);

  proxy.heal();
  await vi.waitFor(async () => {
    const again = await shop.decidePreCheckout(query(booking));
    expect(again).not.toMatchObject({ reason: "unavailable" });
  }, patient);
  // Not one connection only: as many at once as before.
  const read = await Promise.all(Array.from({ length: connections }, () => shop.bookings.get(booking.id)));
  expect(read.map((one) => one?.id)).toEqual(Array(connections).fill(booking.id));
  expect((await db.bookonce.audit()).unaccounted).toBe(0);
});

test("a commit whose answer was swallowed is a no, and the same query finds the stored answer later (S6, S8)", async () => {
  const db = await ownDatabase();
  const { shop, proxy } = await throughProxy(db);
  const booking = await book(shop, { claim: "at_checkout" });
  const asking = query(booking);

  const committing = proxy.stall(commit, "unanswered");
  expect(await shop.decidePreCheckout(asking, { budgetMs: 1_500 })).toMatchObject({
    outcome: "declined",
    reason: "unavailable",
  });
  await committing;
  await vi.waitFor(async () => expect(await count(db, "checkouts", "decision = 'approved'")).toBe(1), patient);
  expect(await shop.decidePreCheckout(asking)).toMatchObject({ outcome: "approved", repeated: true });
  expect(await count(db, "claims")).toBe(1);
});
