import { setTimeout as sleep } from "node:timers/promises";
import { createBookonce } from "bookonce";
import { pgDatabase } from "bookonce/pg";
import pg from "pg";
import { calDav } from "./caldav.ts";
import { push } from "./push.ts";
import { pushQueue } from "./queue.ts";
import { reconcile } from "./reconcile.ts";
import { pushState } from "./state.ts";

const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set; README.md tells what it means`);
  return value;
};

const databaseUrl = setting("DATABASE_URL");
const email = setting("ORGANIZER_EMAIL");
const domain = email.split("@").at(-1) ?? "bookonce.invalid";
const settings = { domain, organizer: { name: process.env["ORGANIZER_NAME"] ?? domain, email } };

const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());

const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
const database = pgDatabase({ connectionString: databaseUrl });
const bookonce = createBookonce({ database });
const state = await pushState(pool);
const queue = await pushQueue(pool);
const calendar = calDav({
  url: setting("CALDAV_URL"),
  user: setting("CALDAV_USER"),
  password: setting("CALDAV_PASSWORD"),
  domain,
});

const compareEveryMs = 15 * 60_000;
let comparedAt = 0;
while (!stop.signal.aborted) {
  try {
    await workOff();
    if (Date.now() - comparedAt > compareEveryMs) {
      const repaired = await reconcile(bookonce, calendar, state, settings);
      comparedAt = Date.now();
      if (repaired.restored + repaired.removed > 0) console.log("repaired", repaired);
    }
  } catch (error) {
    console.error("will be tried again:", error);
  }
  await sleep(1_000, undefined, { signal: stop.signal }).catch(() => undefined);
}
await database.close();
await pool.end();

/** Everything that is due, one booking after the other; one that fails waits for its next turn and holds up nobody. */
async function workOff(): Promise<void> {
  for (let bookingId = await queue.take(); bookingId !== null && !stop.signal.aborted; bookingId = await queue.take()) {
    try {
      const booking = await bookonce.bookings.get(bookingId);
      if (booking !== null) await push(booking, calendar, state, settings);
      await queue.done(bookingId);
    } catch (error) {
      console.error(`booking ${bookingId} could not be pushed and will be tried again:`, error);
      await queue.failed(bookingId);
    }
  }
}
