import { createBookonce } from "bookonce";
import { pgDatabase } from "bookonce/pg";
import { databaseClock } from "bookonce/testing";
import pg from "pg";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { createDatabase } from "../../scripts/postgres.ts";
import { read } from "../docs/blocks.ts";
import { patient } from "../support/bot-buyer.ts";

vi.setConfig({ testTimeout: 180_000 });

const alice = "00000000-0000-4000-8000-00000000000a";
const bob = "00000000-0000-4000-8000-00000000000b";
const page = read("docs/race-by-hand.md");

/** The statements of every SQL block of a section, block by block, as somebody would paste them. */
function blocksOf(section: string): string[][] {
  const text = page.split(/^## /m).find((part) => part.startsWith(section)) ?? "";
  return [...text.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, sql = ""]) =>
    sql
      .replaceAll(/^--.*$/gm, "")
      .split(/;$/m)
      .map((statement) => statement.trim())
      .filter((statement) => statement !== ""),
  );
}

/** A terminal with psql: statements one after the other, going on after an error. */
class Terminal {
  readonly #client: pg.Client;

  constructor(url: string) {
    this.#client = new pg.Client({ connectionString: url });
  }

  async open(): Promise<number> {
    await this.#client.connect();
    onTestFinished(() => this.#client.end());
    const { rows } = await this.#client.query("select pg_backend_pid() as pid");
    return rows[0].pid;
  }

  /** The rows of each statement, or the error that the terminal would print. */
  async paste(statements: readonly string[] = []): Promise<unknown[]> {
    const shown: unknown[] = [];
    for (const statement of statements) {
      shown.push(
        await this.#client.query(statement).then(
          ({ rows }) => rows,
          (error: Error) => `ERROR:  ${error.message}`,
        ),
      );
    }
    return shown;
  }
}

test("docs/race-by-hand.md: every block does what the page says, in two sessions", async () => {
  const { url, drop } = await createDatabase(inject("postgresUrl"), "bookonce_by_hand");
  onTestFinished(drop);
  const database = pgDatabase({ connectionString: url });
  onTestFinished(() => database.close());
  const bookonce = createBookonce({ database });
  await bookonce.migrate();
  const [one, two, onlooker] = [new Terminal(url), new Terminal(url), new Terminal(url)];
  const [pid1, pid2] = [await one.open(), await two.open()];
  await onlooker.open();

  const [[prepare], [locks, lookAndTake], [bobLocks, whoWaits], [commit, look], [forgetful], [history]] = [
    blocksOf("# The race by hand"),
    blocksOf("1. Alice presses Pay (terminal 1)"),
    blocksOf("2. Bob presses Pay (terminal 2)"),
    blocksOf("3. Alice commits (terminal 1)"),
    blocksOf("4. What if Bob's code forgot to look?"),
    blocksOf("5. Five minutes later"),
  ];

  await one.paste(prepare);
  expect(await one.paste(locks)).toEqual([[], [{ id: alice }], [{ id: "anna" }]]);
  expect(await one.paste(lookAndTake)).toEqual([[{ rivals: "0" }], []]);

  const waiting = two.paste(bobLocks);
  const waits = { pid: pid2, waits_for: [pid1], query: bobLocks?.[2] };
  await vi.waitFor(async () => expect(await onlooker.paste(whoWaits)).toEqual([[waits]]), patient);
  expect(await one.paste(commit)).toEqual([[]]);
  expect(await waiting).toEqual([[], [{ id: bob }], [{ id: "anna" }]]);
  expect(await two.paste(look)).toEqual([[{ rivals: "1" }]]);
  expect(await two.paste(forgetful)).toEqual([
    'ERROR:  conflicting key value violates exclusion constraint "claims_exclusive"',
    [],
  ]);

  // What the page says that bookonce would answer: it sees what was typed by hand.
  const asked = { resources: ["anna"], start: "2030-01-15T10:00:00Z", duration: { minutes: 60 } };
  expect(await bookonce.reserveSlot({ customer: "carol", ...asked })).toMatchObject({ reason: "slot_taken" });

  await databaseClock(database).advance(5 * 60_000);
  expect(await two.paste(bobLocks)).toEqual([[], [{ id: bob }], [{ id: "anna" }]]);
  expect(await two.paste(look)).toEqual([[{ rivals: "0" }]]);
  await two.paste(["rollback"]);
  expect(await two.paste(history)).toEqual([[{ customer: "alice", live: expect.stringMatching(/^\[".*",".*"\)$/) }]]);
});
