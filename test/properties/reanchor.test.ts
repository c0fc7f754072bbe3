import { createHash } from "node:crypto";
import { createBookonce } from "bookonce";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { testSchema } from "../support/database.ts";
import type { Shop } from "../support/fixtures.ts";
import { type Day, eve, furnishDay, makeDay, someDay } from "../support/reanchor-day.ts";
import { isTrueOf, standingOf, wronglyMoved } from "../support/reanchor-truth.ts";
import { createSteppedDatabase, type SteppedDatabase } from "../support/schedule-clock.ts";
import { expectAudited } from "../support/schedule-invariants.ts";
import { brokenInLife } from "../support/schedule-life-rules.ts";
import { lifeOptions, Seen } from "../support/schedule-lives.ts";

// Random days of bookings, classes and pools, some of them made when the zones had other rules: reanchor tells of each that is affected
// once, moves it to where its wall time is now, or says truly why not; nobody is lost, and nobody overlaps.
// BOOKONCE_SCHEDULE_RUNS, BOOKONCE_SEED and BOOKONCE_PATH as in schedule.test.ts.
const [options] = lifeOptions(100, { towns: 1 });
const pools = new Map([["masters", ["anna", "boris"]]]);

// Of two who move to one place, the order of their ids decides: they are drawn from the day, so that a failing day fails again.
const ids = vi.hoisted((): { next: (() => string) | undefined } => ({ next: undefined }));
vi.mock("node:crypto", async (original) => {
  const real = await original<typeof import("node:crypto")>();
  return { ...real, randomUUID: () => ids.next?.() ?? real.randomUUID() };
});

let db: SteppedDatabase;
let shop: Shop;
beforeAll(async () => {
  db = await createSteppedDatabase();
  shop = createBookonce({ database: db.database, schema: testSchema });
  await furnishDay(shop);
});
afterAll(async () => {
  ids.next = undefined;
  await db.drop();
});

test("random days whose zones have other rules: each booking is moved, in conflict or skipped, and truly so", async () => {
  console.log(`seed ${options?.seed}, ${options?.numRuns} days`);
  const seen = new Seen();
  await fc.assert(
    fc.asyncProperty(someDay, (day) => reanchored(day, seen)),
    options,
  );
  seen.print();
}, 1_800_000);

async function reanchored(day: Day, seen: Seen): Promise<void> {
  ids.next = idsOf(day.ids);
  await db.empty();
  await db.set(eve);
  await makeDay(shop, db, day);
  const now = eve + day.laterMs;
  await db.set(now);
  const before = await standingOf(db);

  // A dry run tells of all who are affected, and of nobody else, and leaves everything as it was.
  const found = await shop.reanchor({ actor: "olga" });
  const told = found.map(({ bookingId, customer, agreed, from, to, outcome, refused }) => {
    const skipped = outcome === "skipped";
    return { id: bookingId, customer, agreed, starts: Number(from), to: skipped ? null : Number(to), skipped, refused };
  });
  const affected = [...before.values()].filter((one) => one.affected);
  const byId = <One extends { readonly id: string }>(all: One[]) => all.sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(byId(told)).toEqual(
    byId(
      affected.map(({ id, customer, agreed, starts, to, skipped }) => ({
        id,
        customer,
        agreed,
        starts,
        to: skipped ? null : to,
        skipped,
        refused: null,
      })),
    ),
  );
  expect(await standingOf(db)).toEqual(before);

  const done = await shop.reanchor({ actor: "olga", dryRun: false });
  const after = await standingOf(db);
  expect(done.map(({ bookingId }) => bookingId).sort()).toEqual(affected.map(({ id }) => id).sort());
  const wrong: unknown[] = [];
  for (const one of done) {
    seen.add(one.outcome, { outcome: one.refused ?? "" });
    const was = before.get(one.bookingId);
    if (was === undefined) wrong.push([one, "was never there"]);
    else if (one.outcome === "moved") {
      const why = wronglyMoved(was, after.get(was.id));
      if (why !== null) wrong.push([one, why]);
    } else if (one.outcome === "skipped" ? !was.skipped : !isTrueOf(one, before, after, pools, now)) {
      wrong.push([one, "not true"]);
    }
  }
  // Those who were not moved, and those who were not affected, are as they were.
  const moved = new Set(done.filter(({ outcome }) => outcome === "moved").map(({ bookingId }) => bookingId));
  for (const [id, { row }] of before) if (!moved.has(id) && after.get(id)?.row !== row) wrong.push([id, "touched"]);
  // A session stays whole: what becomes of one who was in it becomes of all who move with her.
  const fates = Map.groupBy(
    done.filter(({ outcome }) => outcome !== "skipped"),
    ({ bookingId }) => before.get(bookingId)?.session ?? bookingId,
  );
  for (const [session, all] of fates)
    if (new Set(all.map(({ outcome, refused }) => `${outcome} ${refused}`)).size > 1)
      wrong.push([session, "torn apart"]);
  expect(wrong).toEqual([]);
  expect(after.size).toBe(before.size);
  expect(await brokenInLife(db, { name: "rules", more: "" })).toEqual([]);
  await expectAudited(shop);

  // Whoever was moved is where she belongs.
  const again = await shop.reanchor({ actor: "olga" });
  expect(again.filter(({ bookingId }) => moved.has(bookingId))).toEqual([]);
}

function idsOf(day: number): () => string {
  let drawn = 0;
  return () => {
    drawn += 1;
    const hex = createHash("sha256").update(`${day} ${drawn}`).digest("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
}
