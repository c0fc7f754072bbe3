import { randomInt } from "node:crypto";
import { connect, createServer, type Socket } from "node:net";
import { type BookingView, type Bookonce, createBookonce, type ReserveSlotInput } from "bookonce";
import { type PgClient, pgDatabase } from "bookonce/pg";
import {
  createTelegram,
  fetchApi,
  type HandledUpdate,
  type HandleOptions,
  starsInvoice,
  type Telegram,
  type TelegramApi,
  type TelegramOptions,
  telegramCustomer,
} from "bookonce/telegram";
import {
  type BotRecord,
  type FakeTelegram,
  type FakeTelegramOptions,
  type FakeUser,
  type NewUser,
  startFakeTelegram,
} from "bookonce/testing";
import { expect, onTestFinished } from "vitest";
import type { TestDatabase } from "../../support/database.ts";

export interface SalonOptions {
  readonly fake?: FakeTelegramOptions;
  readonly bookonce?: Bookonce<PgClient>;
  readonly api?: (api: TelegramApi) => TelegramApi;
  readonly telegram?: Partial<TelegramOptions>;
}

/** A bot with one master, on a fake Telegram of its own, over the file's database. */
export interface Salon {
  readonly db: TestDatabase;
  readonly fake: FakeTelegram;
  readonly bot: BotRecord;
  readonly api: TelegramApi;
  readonly telegram: Telegram;
  /** What was reported to `onError`. */
  readonly errors: unknown[];
  readonly master: string;
  /** Another Telegram layer for the same bot, as another process has it. */
  another(bookonce: Bookonce<PgClient>, options?: Partial<TelegramOptions>): Telegram;
  person(person?: NewUser): FakeUser;
  reserve(user: FakeUser, more?: Partial<ReserveSlotInput>): Promise<BookingView>;
  /** A payment link for a booking. */
  link(booking: BookingView): Promise<string>;
  /** Fetches what waits, deals with it in order, and returns what it came to. */
  receive(options?: HandleOptions): Promise<HandledUpdate[]>;
  /** Waits for the next updates, at least `atLeast` of them, and takes them from Telegram without dealing with them. */
  take(atLeast?: number): Promise<Update[]>;
}

export type Update = Readonly<Record<string, unknown>>;

export async function salon(db: TestDatabase, options: SalonOptions = {}): Promise<Salon> {
  const fake = await startFakeTelegram(options.fake);
  onTestFinished(() => fake.close());
  // Ids of one's own: the tests of a file share a database.
  const bot = fake.bot({ token: `${randomInt(1e9, 9e9)}:${"x".repeat(35)}` });
  const plain = fetchApi({ token: bot.token, apiRoot: fake.url });
  const api = options.api === undefined ? plain : options.api(plain);
  const errors: unknown[] = [];
  const master = `anna-${randomInt(1e9)}`;
  await db.bookonce.resources.put({ id: master });
  const base = { api, botId: bot.id, onError: (error: unknown) => errors.push(error) };
  const another: Salon["another"] = (bookonce, more) => createTelegram({ ...base, bookonce, ...more });
  const telegram = another(options.bookonce ?? db.bookonce, options.telegram);
  let slot = 0;
  let offset = 0;
  const take = async (atLeast = 1): Promise<Update[]> => {
    const waiting = async () => (await fake.updates.pending(bot)).length;
    await expect.poll(waiting, { timeout: 20_000 }).toBeGreaterThanOrEqual(atLeast);
    const updates = (await plain.call("getUpdates", { offset }, { signal: AbortSignal.timeout(5_000) })) as Update[];
    offset = Number(updates.at(-1)?.["update_id"] ?? offset - 1) + 1;
    await plain.call("getUpdates", { offset, limit: 1 }, { signal: AbortSignal.timeout(5_000) });
    return updates;
  };
  return {
    db,
    fake,
    bot,
    api,
    telegram,
    errors,
    master,
    another,
    person: (person) => fake.user({ id: randomInt(1e9, 1e12), ...person }),
    async reserve(user, more) {
      slot += 1;
      const reserved = await db.bookonce.reserveSlot({
        customer: telegramCustomer(user.id),
        resources: [master],
        start: new Date(Math.ceil(Date.now() / 1_000) * 1_000 + slot * 3_600_000 + 86_400_000),
        duration: { minutes: 60 },
        price: { amount: 100, currency: "XTR" },
        ...more,
      });
      if (reserved.outcome === "refused") throw new Error(`refused: ${reserved.reason}`);
      return reserved.booking;
    },
    async link(booking) {
      const params = { ...starsInvoice({ booking, title: "Lesson", description: "One hour with Anna" }) };
      return String(await plain.call("createInvoiceLink", params, { signal: AbortSignal.timeout(5_000) }));
    },
    take,
    async receive(handleOptions) {
      const results: HandledUpdate[] = [];
      for (const update of await take()) results.push(await telegram.handleUpdate(update, handleOptions));
      return results;
    },
  };
}

/** A purchase from the Pay button to the receipt, dealt with by the salon's own Telegram layer. */
export async function buy(
  at: Salon,
  user: FakeUser,
  booking: BookingView,
): Promise<{ chargeId: string; result: HandledUpdate }> {
  const paying = user.pay(await at.link(booking));
  await at.receive();
  const paid = await paying;
  if (paid.outcome !== "paid") throw new Error(`not paid: ${JSON.stringify(paid)}`);
  const [result] = await at.receive();
  if (result === undefined) throw new Error("no receipt");
  return { chargeId: paid.chargeId, result };
}

/** A charge that Telegram made without asking us, its receipt still on the way. */
export async function charge(at: Salon, user: FakeUser, booking: BookingView): Promise<string> {
  const paid = await user.pay(await at.link(booking), { faults: { skipPreCheckout: true } });
  if (paid.outcome !== "paid") throw new Error(`not paid: ${JSON.stringify(paid)}`);
  return paid.chargeId;
}

/** What is in the tables that payments touch: equal before and after something that must write nothing. */
export async function tables({ pool, schema }: TestDatabase): Promise<unknown> {
  const names = ["bookings", "claims", "checkouts", "payments", "refunds", "events"];
  const selects = names.map(
    (name) => `(select coalesce(json_agg(t order by t::text), '[]') from ${schema}.${name} t) as ${name}`,
  );
  return (await pool.query(`select ${selects.join(", ")}`)).rows[0];
}

export async function rows(
  db: TestDatabase,
  table: string,
  where: string,
  ...values: string[]
): Promise<Record<string, unknown>[]> {
  return (await db.pool.query(`select * from ${db.schema}.${table} where ${where}`, values)).rows;
}

/** The database behind a wire that can be cut and mended: what a process sees when PostgreSQL is away. */
export async function cuttable(url: string): Promise<{ url: string; cut(): Promise<void>; mend(): Promise<void> }> {
  const behind = new URL(url);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect(Number(behind.port), behind.hostname);
    for (const end of [socket, upstream]) {
      open.add(end);
      end.on("close", () => open.delete(end));
      end.on("error", () => undefined);
    }
    socket.pipe(upstream).pipe(socket);
  });
  const listen = (port: number): Promise<void> => new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const { port } = address;
  const cut = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of open) socket.destroy();
    await closed;
  };
  onTestFinished(cut);
  const front = new URL(url);
  front.hostname = "127.0.0.1";
  front.port = String(port);
  return { url: front.href, cut, mend: () => listen(port) };
}

/** An instance over such a wire, as a process of its own would have it. */
export function overWire({ schema }: TestDatabase, url: string): Bookonce<PgClient> {
  const database = pgDatabase({ connectionString: url });
  onTestFinished(() => database.close());
  return createBookonce({ database, schema: schema.replaceAll('"', "") });
}
