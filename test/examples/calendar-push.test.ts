import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { calDav, type ExternalCalendar } from "../../examples/calendar-push/src/caldav.ts";
import { push, uidOf } from "../../examples/calendar-push/src/push.ts";
import { type PushQueue, pushQueue } from "../../examples/calendar-push/src/queue.ts";
import { reconcile } from "../../examples/calendar-push/src/reconcile.ts";
import { type PushState, pushState } from "../../examples/calendar-push/src/state.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { aResource, book, bookFree, historyOf, hoursLater, preCheckout, receipt, soon } from "../support/fixtures.ts";

// B14: the calendar is told, outside of every booking's transaction, and nobody waits for it.
const domain = "studio.example";
const settings = { domain, organizer: { name: "Studio", email: `hello@${domain}` } };
const password = "s3cret";

/** A CalDAV collection in memory: what was PUT is there until it is taken away, and it can be out of order. */
class Collection {
  readonly entries = new Map<string, string>();
  readonly requests: string[] = [];
  down = false;
  readonly app: Hono;

  constructor() {
    const wanted = `Basic ${Buffer.from(`anna:${password}`).toString("base64")}`;
    this.app = new Hono()
      .use(async (c, next) => {
        this.requests.push(c.req.method);
        if (this.down) return c.text("out of order", 503);
        if (c.req.header("authorization") !== wanted) return c.text("who are you?", 401);
        return next();
      })
      .put("/anna/:name", async (c) => {
        const known = this.entries.has(c.req.param("name"));
        this.entries.set(c.req.param("name"), await c.req.text());
        return c.body(null, known ? 204 : 201);
      })
      .delete("/anna/:name", (c) => c.body(null, this.entries.delete(c.req.param("name")) ? 204 : 404))
      .on("PROPFIND", "/anna/", (c) => {
        const hrefs = ["", ...this.entries.keys()].map(
          (name) => `<d:response><d:href>/anna/${encodeURIComponent(name)}</d:href></d:response>`,
        );
        return c.body(`<d:multistatus xmlns:d="DAV:">${hrefs.join("")}</d:multistatus>`, 207);
      });
  }
}

let db: TestDatabase;
let collection: Collection;
let server: ReturnType<typeof serve>;
let calendar: ExternalCalendar;
let state: PushState;
let queue: PushQueue;
const collections = { current: new Collection() };

beforeAll(async () => {
  db = await createTestDatabase();
  state = await pushState(db.pool);
  queue = await pushQueue(db.pool);
  const { promise, resolve } = Promise.withResolvers<number>();
  const fetch = (request: Request) => collections.current.app.fetch(request);
  server = serve({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => resolve(port));
  const url = `http://127.0.0.1:${await promise}/anna/`;
  calendar = calDav({ url, user: "anna", password, domain });
});
beforeEach(() => {
  collections.current = new Collection();
  collection = collections.current;
});
afterEach(async () => {
  await deliver();
  await db.pool.query("truncate calendar_push.pushed, calendar_push.queue");
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await db.drop();
});

/** The bot's side, as the README has it: it writes the id down and tells the customer. */
async function deliver(): Promise<string[]> {
  const told: string[] = [];
  await db.bookonce.events.run(async (event) => {
    if (event.bookingId !== null) await queue.add(event.bookingId);
    told.push(event.type);
  });
  return told;
}

/** One round of the program, as src/main.ts has it. */
async function workOff(): Promise<number> {
  let failed = 0;
  for (let id = await queue.take(); id !== null; id = await queue.take()) {
    try {
      const booking = await db.bookonce.bookings.get(id);
      if (booking !== null) await push(booking, calendar, state, settings);
      await queue.done(id);
    } catch {
      failed += 1;
      await queue.failed(id);
    }
  }
  return failed;
}

/** What waits in the queue is due now. */
const later = () => db.pool.query("update calendar_push.queue set due_at = now()");
const waiting = async () => (await db.pool.query("select from calendar_push.queue")).rowCount;
const entryOf = (booking: { id: string }) => collection.entries.get(`${uidOf(booking.id, domain)}.ics`);
const starting = (date: Date) => `DTSTART:${date.toISOString().replaceAll(/[-:]|\.000/g, "")}`;
const confirmed = (over: object = {}) => bookFree(db.bookonce, { confirm: true, ...over });

test("B14: a booking is pushed, moved and taken away: one entry under one UID, its sequence growing", async () => {
  const booking = await confirmed();
  expect(await deliver()).toEqual(["booking_confirmed"]);
  expect(await workOff()).toBe(0);
  expect(entryOf(booking)).toContain(starting(soon));
  expect(entryOf(booking)).toContain(`UID:${uidOf(booking.id, domain)}`);
  await db.bookonce.reschedule({ bookingId: booking.id, customer: booking.customer, start: hoursLater(5) });
  await deliver();
  await workOff();
  expect(collection.entries.size).toBe(1);
  expect(entryOf(booking)).toContain(starting(hoursLater(5)));
  expect(entryOf(booking)).toContain("SEQUENCE:2");
  await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
  await deliver();
  await workOff();
  expect(collection.entries.size).toBe(0);
  expect(await state.pushed(booking.id)).toBeNull();
  expect(await waiting()).toBe(0);
});

test("B14: a hold is no entry", async () => {
  await bookFree(db.bookonce);
  await deliver();
  await workOff();
  expect(collection.requests).toEqual([]);
});

test("R15: of two unconfirmed bookings of one time the second approval is told that it is taken, and gets no entry", async () => {
  const resources = [await aResource(db.bookonce)];
  const first = await book(db.bookonce, { resources, claim: "at_checkout" });
  const second = await book(db.bookonce, { resources, claim: "at_checkout" });
  expect(await preCheckout(db.bookonce, first)).toMatchObject({ outcome: "approved" });
  expect(await preCheckout(db.bookonce, second)).toMatchObject({
    outcome: "declined",
    reason: "slot_taken",
    booking: { id: second.id, customer: second.customer, state: "pending" },
  });
  expect(await receipt(db.bookonce, first)).toMatchObject({ outcome: "booked" });
  await deliver();
  expect(await workOff()).toBe(0);
  expect(entryOf(first)).toContain(starting(soon));
  expect(entryOf(second)).toBeUndefined();
  expect(collection.entries.size).toBe(1);
  expect(await historyOf(db.bookonce, second)).not.toContain("booking_confirmed");
});

test("B14: with the calendar down customers are told all the same, at once, and the push is tried again until it works", async () => {
  collection.down = true;
  const [first, second] = [await confirmed(), await confirmed()];
  expect(await deliver()).toEqual(["booking_confirmed", "booking_confirmed"]);
  expect(await workOff()).toBe(2);
  await db.bookonce.reschedule({ bookingId: first.id, customer: first.customer, start: hoursLater(3) });
  expect(await deliver()).toEqual(["booking_rescheduled"]);
  expect(await workOff()).toBe(1);
  expect(await waiting()).toBe(2);
  collection.down = false;
  await later();
  expect(await workOff()).toBe(0);
  // The newest state, without the one in between.
  expect(entryOf(first)).toContain(starting(hoursLater(3)));
  expect(entryOf(second)).toContain(starting(soon));
  expect(await waiting()).toBe(0);
});

test("B14: an entry that somebody deleted by hand is restored, and one that is nobody's is taken away; a person's own stay", async () => {
  const booking = await confirmed();
  await deliver();
  await workOff();
  collection.entries.clear();
  const stray = `${uidOf(crypto.randomUUID(), domain)}.ics`;
  collection.entries.set(stray, "ours once").set("dentist@home.example.ics", "hers");
  expect(await reconcile(db.bookonce, calendar, state, settings)).toEqual({ restored: 1, removed: 1 });
  expect(entryOf(booking)).toContain(starting(soon));
  expect([...collection.entries.keys()].toSorted()).toEqual(
    ["dentist@home.example.ics", `${uidOf(booking.id, domain)}.ics`].toSorted(),
  );
  expect(await reconcile(db.bookonce, calendar, state, settings)).toEqual({ restored: 0, removed: 0 });
});

test("B14: a crash between the calendar and our memory: the push is repeated, and does no harm", async () => {
  const booking = await confirmed();
  await deliver();
  const id = await queue.take();
  const crashing: PushState = { ...state, remember: () => Promise.reject(new Error("the process died")) };
  const view = await db.bookonce.bookings.get(id ?? "");
  if (view === null) throw new Error("no booking");
  await expect(push(view, calendar, crashing, settings)).rejects.toThrow("died");
  const first = entryOf(booking);
  expect(first).toBeDefined();
  // Nobody said that it was done: after a minute it is handed out again.
  await later();
  expect(await workOff()).toBe(0);
  expect(entryOf(booking)).toBe(first);
  expect(collection.entries.size).toBe(1);
  expect(collection.requests).toEqual(["PUT", "PUT"]);
  await deliver();
  await later();
  await workOff();
  expect(collection.requests).toEqual(["PUT", "PUT"]);
});

test("B14: a cancellation while the calendar is down is made up for by the comparison too", async () => {
  const booking = await confirmed();
  await deliver();
  await workOff();
  await db.bookonce.cancel({ bookingId: booking.id, customer: booking.customer });
  await reconcile(db.bookonce, calendar, state, settings);
  expect(collection.entries.size).toBe(0);
});

test("B14: added again while a push is under way, it stays in the queue", async () => {
  const booking = await confirmed();
  await deliver();
  expect(await queue.take()).toBe(booking.id);
  await queue.add(booking.id);
  await queue.done(booking.id);
  expect(await waiting()).toBe(1);
});

test("B14: a wrong password is an error that says so", async () => {
  const wrong = calDav({ url: "http://127.0.0.1:1/anna/", user: "anna", password: "no", domain });
  await expect(wrong.list()).rejects.toThrow();
  collection.down = true;
  await expect(calendar.list()).rejects.toThrow("503 to PROPFIND");
  await expect(calendar.remove("x")).rejects.toThrow("503 to DELETE");
});
