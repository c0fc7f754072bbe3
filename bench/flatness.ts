import { type Bookonce, createBookonce } from "bookonce";
import { pgDatabase } from "bookonce/pg";
import pg from "pg";
import { median } from "./measure.ts";

/**
 * Whether the size of the house matters: a week of one resource is listed, and an hour of it claimed, in a house with few bookings and in
 * one with a hundred times as many. One resource's week holds as much in both, so that the answers are equally long.
 */
export async function flatness(
  server: string,
  { json, rounds = 300 }: { json: boolean; rounds?: number },
): Promise<void> {
  const houses = [await openHouse(server, 1_000), await openHouse(server, 100_000)] as const;
  try {
    const [small, large] = houses;
    const results: Record<string, { small: number; large: number; ratio: number }> = {};
    for (const [name, work] of Object.entries(works)) {
      const times: [number[], number[]] = [[], []];
      // The first tenth warms up connections, plans and caches. The houses take turns, so that neighbours on the machine disturb both.
      for (let round = -rounds / 10; round < rounds; round += 1) {
        for (const [index, house] of houses.entries()) {
          const begin = performance.now();
          await work(house.bookonce, Math.abs(round * 7) % resources, house.turn());
          if (round >= 0) times[index === 0 ? 0 : 1].push(performance.now() - begin);
        }
      }
      const [one, hundred] = times.map((all) => Math.round(median(all) * 100) / 100);
      results[name] = {
        small: one ?? 0,
        large: hundred ?? 0,
        ratio: Math.round(((hundred ?? 0) / (one ?? 1)) * 100) / 100,
      };
    }
    console.log(`Median of ${rounds} calls, milliseconds; ${resources} resources\n`);
    console.log(
      `${"".padEnd(34)}${`${small.size} bookings`.padStart(18)}${`${large.size} bookings`.padStart(18)}${"ratio".padStart(10)}`,
    );
    for (const [name, { small: one, large: hundred, ratio }] of Object.entries(results)) {
      console.log(
        `${name.padEnd(34)}${one.toFixed(2).padStart(18)}${hundred.toFixed(2).padStart(18)}${ratio.toFixed(2).padStart(10)}`,
      );
    }
    if (json) console.log(JSON.stringify({ flatness: results, bookings: [small.size, large.size], resources, rounds }));
  } finally {
    for (const house of houses) await house.close();
  }
}

const hour = 3_600_000;
const resources = 1_000;
const service = "visit";
/** The week that is listed: the coming one. */
const week = { from: new Date(Date.now() + 24 * hour), to: new Date(Date.now() + 8 * 24 * hour) };
/** Beyond everything that is booked. */
const later = Math.ceil(Date.now() / hour) * hour + 300 * 7 * 24 * hour;

const works: Readonly<Record<string, (bookonce: Bookonce, resource: number, turn: number) => Promise<unknown>>> = {
  "slots.find, a week of a resource": (bookonce, resource) =>
    bookonce.slots.find({ service, resources: [`r${resource}`], ...week }),
  "bookings.busy, the same": (bookonce, resource) => bookonce.bookings.busy({ resources: [`r${resource}`], ...week }),
  "reserveSlot, a free hour": async (bookonce, resource, turn) => {
    const start = new Date(later + turn * hour);
    const asked = { customer: `new ${turn}`, resources: [`r${resource}`], start, duration: { minutes: 60 } };
    const { outcome } = await bookonce.reserveSlot(asked);
    if (outcome !== "reserved") throw new Error(`a free hour was ${outcome}`);
  },
};

async function openHouse(server: string, size: number) {
  const name = `bookonce_flat_${process.pid}_${size}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await once(server, (client) => client.query(`create database ${name}`));
  const database = pgDatabase({ connectionString: url.href });
  const bookonce = createBookonce({ database });
  await bookonce.migrate();
  await once(url.href, (client) => fillHouse(client, "bookonce", { bookings: size, resources }));
  await openService(bookonce);
  let turn = 0;
  return {
    bookonce,
    size,
    turn: () => turn++,
    async close() {
      await database.close();
      await once(server, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/** An hour of a resource, offered from eight to eight on every day. */
export async function openService(bookonce: Pick<Bookonce, "services">): Promise<void> {
  const open = [{ from: "08:00", to: "20:00" }];
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
  await bookonce.services.put({
    id: service,
    duration: { minutes: 60 },
    resources: ["r0"],
    times: {
      schedule: { zone: "Asia/Tashkent", weekly: Object.fromEntries(days.map((day) => [day, open])) },
      grid: { stepMinutes: 30, anchor: "window" },
    },
  });
}

/** Confirmed bookings, one a week of every resource: first in the coming week, then in those around it, past and to come. */
export async function fillHouse(
  client: Pick<pg.ClientBase, "query">,
  schema: string,
  { bookings, resources: count }: { readonly bookings: number; readonly resources: number },
): Promise<void> {
  await client.query(
    `insert into ${schema}.resources (id, name, created_at) select 'r' || n, 'r' || n, now() from generate_series(0, $1::int - 1) n`,
    [count],
  );
  await client.query(
    `with slots as (
      select n, 'r' || n % $2::int as resource, date_trunc('hour', now()) + interval '3 days'
        + ((case when n / $2::int % 2 = 0 then 1 else -1 end) * (n / $2::int + 1) / 2) * interval '7 days' + n % 12 * interval '1 hour' as start
      from generate_series(0, $1::int - 1) n),
    made as (
      insert into ${schema}.bookings (id, token, customer, payer, state, wanted_ids, quantities, resource_ids, starts_at, ends_at,
        day_starts_at, day_ends_at, policy, version, request_digest, data, created_at, confirmed_at)
      select gen_random_uuid(), 'bko1_house_' || n, 'customer ' || n % 20000, 'customer ' || n % 20000, 'confirmed', array[resource], '{1}',
        array[resource], start, start + interval '1 hour', date_trunc('day', start), date_trunc('day', start) + interval '1 day',
        '{}', 1, 'digest', '{}', now(), now()
      from slots returning id, resource_ids, starts_at, ends_at)
    insert into ${schema}.claims (booking_id, number, resource_id, starts_at, ends_at, live_from)
    select id, 1, resource_ids[1], starts_at, ends_at, now() from made`,
    [bookings, count],
  );
  await client.query("vacuum analyze");
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
