import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { aResource, book, soon, untilBlocked } from "../support/fixtures.ts";
import { cli, json } from "./terminal.ts";

// O3, B4, B11 from a shell.
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

describe("doctor", () => {
  test("O3: is content with a shop that is well", async () => {
    expect(await cli(db, ["doctor"])).toEqual({ code: 0, out: "Nothing is wrong.\n", err: "" });
    expect(await json(db, "doctor")).toEqual({ findings: [], waits: [], ok: true });
  });

  test("O3: names what it finds, and exits with 1", async () => {
    await db.clock.advance(5_000);
    const shifted = await cli(db, ["doctor"]);
    expect(shifted).toMatchObject({ code: 1, err: "" });
    expect(shifted.out).toMatch(/^error clock_shifted: .*5.* s off/);
    await db.clock.reset();
    const nowhere = await cli(db, ["doctor", "--database-url", "postgres://127.0.0.1:1/none"]);
    expect(nowhere.code).toBe(1);
    expect(nowhere.out).toMatch(/^error unreachable: /);
  });

  test("B4: shows who waits for whom, and for how long", async () => {
    const booking = await book(db.bookonce);
    const blocker = await db.pool.connect();
    try {
      await blocker.query("set application_name = 'a hand in psql'; begin");
      await blocker.query(`select from ${db.schema}.bookings where id = $1 for update`, [booking.id]);
      const { rows } = await blocker.query<{ pid: number }>("select pg_backend_pid() as pid");
      const waiting = db.bookonce.cancel({ bookingId: booking.id, administrator: "olga" });
      await untilBlocked(db);
      const { out } = await cli(db, ["doctor"]);
      expect(out).toMatch(/session +waits since +for session +which is +open since +application +its last statement/);
      expect(out).toMatch(
        new RegExp(
          `^\\d+ +\\d+\\.\\d s +${rows[0]?.pid} +idle in transaction +\\d+\\.\\d s +a hand in psql +select pg_backend_pid`,
          "m",
        ),
      );
      expect(await json(db, "doctor")).toMatchObject({ waits: [{ blockingPid: rows[0]?.pid }] });
      await blocker.query("rollback");
      await waiting;
    } finally {
      blocker.release(true);
    }
  });
});

describe("B11: who has a time, and what happened to it", () => {
  test("holders tells whose a resource is at a moment, now or as it stood; history tells who did what", async () => {
    const anna = await aResource(db.bookonce);
    const before = new Date();
    const booking = await book(db.bookonce, { resources: [anna], customer: "telegram:7" });
    const moment = soon.toISOString();
    expect((await cli(db, ["holders", anna, "--at", moment])).out).toMatch(
      new RegExp(`^${booking.id} +telegram:7 +1 `, "m"),
    );
    expect((await cli(db, ["holders", anna, "--at", moment, "--as-of", before.toISOString()])).out).toBe("Nobody.\n");
    await db.bookonce.cancel({ bookingId: booking.id, administrator: "olga" });
    expect(await json(db, "holders", anna, "--at", moment)).toEqual([]);

    const { out } = await cli(db, ["history", booking.id]);
    expect(out).toMatch(/^at +what +who +version +details\n/);
    expect(out).toMatch(/booking_reserved.*\n.*booking_cancelled +olga /);
    expect((await cli(db, ["history", "00000000-0000-4000-8000-000000000000"])).out).toBe("No such booking.\n");
  });

  test("a moment that is none is refused with a sentence", async () => {
    const refused = await cli(db, ["holders", "anna", "--at", "tomorrow"]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(/^invalid_input: bookings\.holders: at/);
    expect(await cli(db, ["holders", "anna"])).toMatchObject({ code: 2 });
  });
});
