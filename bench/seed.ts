import { createBookonce } from "bookonce";
import { pgDatabase } from "bookonce/pg";
import pg from "pg";
import { provider, type Question } from "./contestants/contestant.ts";
import { createFunction } from "./contestants/function.ts";

/** A database of its own on the server, with bookonce's own tables; dropped at the end. */
export interface BenchDatabase {
  readonly url: string;
  readonly version: string;
  /** Pending bookings that nobody has asked about, each of an interval of its own, and what their buyers will ask. */
  seedMany(account: string, count: number): Promise<Question[]>;
  /** Pending bookings of one interval of one resource. */
  seedHot(account: string, count: number): Promise<Question[]>;
  /** Throws if a round has left anything but what its answers say. */
  check(account: string, answers: { readonly approved: number; readonly declined: number }): Promise<void>;
  drop(): Promise<void>;
}

export interface SeedOptions {
  readonly resources: number;
  /** Confirmed bookings that are there before anything is measured, so that no index fits in one page. */
  readonly history: number;
}

const hot = "hot";
const price = { amount: 500, currency: "XTR" };

export async function createBenchDatabase(server: string, { resources, history }: SeedOptions): Promise<BenchDatabase> {
  const name = `bookonce_bench_${process.pid}_${Date.now()}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await once(server, (client) => client.query(`create database ${name}`));
  const template = await makeTemplate(url.href);

  const client = new pg.Client({ connectionString: url.href });
  // When the bench fails, the server is stopped under this connection; the first error is the one to be told.
  client.on("error", () => undefined);
  await client.connect();
  await createFunction(client);
  await client.query(
    `insert into bookonce.resources (id, name, created_at)
     select 'r' || n, 'r' || n, now() from generate_series(0, $1::int - 1) n`,
    [resources],
  );
  const { rows } = await client.query<{ version: string }>("select current_setting('server_version') as version");

  // Every booking of `seedMany` gets the next (resource, hour) that nobody has: consecutive ones lie on different resources.
  let used = 0;
  const seedMany = async (account: string, count: number): Promise<Question[]> => {
    const tokens = await seed(client, { template, account, count, first: used, resources });
    used += count;
    return questions(account, shuffle(tokens));
  };
  await seedMany("history", history);
  await confirmAll(client);
  await client.query("vacuum analyze");
  let hours = 0;
  return {
    url: url.href,
    version: rows[0]?.version ?? "",
    seedMany,
    async seedHot(account, count) {
      hours += 1;
      return questions(account, await seed(client, { template, account, count, first: hours, resources: null }));
    },
    check: (account, answers) => check(client, account, answers),
    async drop() {
      await client.end();
      await once(server, (other) => other.query(`drop database ${name} with (force)`));
    },
  };
}

/** A booking of the hot slot's first hour, made by bookonce itself. Nobody pays for it. */
async function makeTemplate(url: string): Promise<string> {
  const database = pgDatabase({ connectionString: url, max: 1 });
  try {
    const bookonce = createBookonce({ database, policies: { settlementGrace: { hours: 1 } } });
    await bookonce.migrate();
    await bookonce.resources.put({ id: hot });
    const start = new Date();
    start.setUTCHours(48, 0, 0, 0);
    const reserved = await bookonce.reserveSlot({
      customer: "template",
      payer: "anyone",
      resources: [hot],
      start,
      duration: { minutes: 60 },
      price,
      claim: "at_checkout",
    });
    if (reserved.outcome !== "reserved") throw new Error(`the booking to copy was ${reserved.outcome}`);
    return reserved.booking.payload;
  } finally {
    await database.close();
  }
}

interface Seed {
  /** The token of the booking to copy. */
  readonly template: string;
  readonly account: string;
  readonly count: number;
  /** The first slot to use; without `resources`, the only one. */
  readonly first: number;
  readonly resources: number | null;
}

/** Copies of the template, so that they are what bookonce would have made: each of a resource and an hour of its own, or all of one. */
async function seed(client: pg.Client, { template, account, count, first, resources }: Seed): Promise<string[]> {
  const { rows } = await client.query<{ token: string }>(
    `insert into bookonce.bookings
     select copy.* from bookonce.bookings template
       cross join generate_series($3::int, $3 + $4::int - 1) n
       cross join lateral (select case when $5::int is null then array[$6] else array['r' || n % $5::int] end as resource,
         template.starts_at + (case when $5::int is null then $3 else n / $5::int end) * interval '1 hour' as start) slot
       cross join lateral jsonb_populate_record(template, jsonb_build_object(
         'id', gen_random_uuid(), 'token', 'bko1_' || replace(gen_random_uuid()::text, '-', ''), 'customer', $2::text || n,
         'wanted_ids', slot.resource, 'resource_ids', slot.resource, 'starts_at', slot.start,
         'ends_at', slot.start + interval '1 hour', 'day_starts_at', date_trunc('day', slot.start),
         'day_ends_at', date_trunc('day', slot.start) + interval '1 day')) copy
     where template.token = $1
     returning token`,
    [template, account, first, count, resources, hot],
  );
  return rows.map((row) => row.token);
}

async function confirmAll(client: pg.Client): Promise<void> {
  // Decided, paid for and confirmed as usual, so that every table that is looked into has rows and statistics.
  await client.query(
    `with confirmed as (
      update bookonce.bookings set state = 'confirmed', confirmed_at = now(), payable_until = null, version = 2
      where resource_ids <> array[$2]
      returning *),
    claimed as (
      insert into bookonce.claims (booking_id, number, resource_id, starts_at, ends_at, live_from)
      select id, 1, resource_ids[1], starts_at, ends_at, now() from confirmed),
    decided as (
      insert into bookonce.checkouts
        (provider, account, external_id, token, payer, amount, currency, booking_id, decision, decided_at)
      select $1, 'history', token, token, customer, price_amount, price_currency, id, 'approved', now() from confirmed),
    paid as (
      insert into bookonce.payments
        (id, provider, account, external_id, token, payer, amount, currency, booking_id, disposition, received_at, details)
      select id, $1, 'history', token, token, customer, price_amount, price_currency, id, 'booked', now(), '{}' from confirmed)
    insert into bookonce.events (booking_id, type, at, actor, version, data, delivered_at)
    select id, 'booking_confirmed', now(), $1, version, '{}', now() from confirmed`,
    [provider, hot],
  );
}

async function check(
  client: pg.Client,
  account: string,
  { approved, declined }: { readonly approved: number; readonly declined: number },
): Promise<void> {
  const { rows } = await client.query<Record<string, number>>(
    // Arrays, and a lateral look-up for each claim: the tables have grown since they were analyzed, and the planner must not guess.
    `with decided as materialized (
       select booking_id, decision from bookonce.checkouts where provider = $2 and account = $1),
     ids as materialized (select array_agg(booking_id) as all_ids from decided),
     taken as materialized (
       select c.* from bookonce.claims c where c.booking_id = any(array(select booking_id from decided where decision = 'approved')))
     select (select count(*) filter (where decision = 'approved') from decided)::int as approved,
       (select count(*) filter (where decision = 'declined') from decided)::int as declined,
       (select count(*) from bookonce.bookings where id = any((select all_ids from ids)::uuid[]) and state = 'held')::int as held,
       (select count(*) from taken)::int as claims,
       (select count(*) from bookonce.events where booking_id = any((select all_ids from ids)::uuid[]))::int as events,
       (select count(*) from taken t cross join lateral (
         select from bookonce.claims c where c.resource_id = t.resource_id and c.exclusive and c.during && t.during
           and c.live && t.live and c.booking_id <> t.booking_id offset 0) rival)::int as overlaps`,
    [account, provider],
  );
  const expected = { approved, declined, held: approved, claims: approved, events: approved, overlaps: 0 };
  const found = JSON.stringify(rows[0]);
  if (found !== JSON.stringify(expected)) {
    throw new Error(`${account}: expected ${JSON.stringify(expected)} in the tables and found ${found}`);
  }
}

function questions(account: string, tokens: readonly string[]): Question[] {
  return tokens.map((token, index) => ({ account, checkoutId: `${index}`, token, payer: `payer${index}`, ...price }));
}

function shuffle<Item>(items: Item[]): Item[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    const [a, b] = [items[last], items[other]];
    if (a !== undefined && b !== undefined) [items[last], items[other]] = [b, a];
  }
  return items;
}

async function once(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
