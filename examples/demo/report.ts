import pg from "pg";
import type { Stage } from "./stage.ts";
import type { Timeline } from "./timeline.ts";

/** What was counted at the end, in the database and in Telegram's ledger. */
export interface Counts {
  readonly buyers: number;
  readonly booked: number;
  readonly refusedBeforeCharge: number;
  readonly charged: number;
  readonly refunded: number;
  readonly duplicatesIgnored: number;
  readonly unaccounted: number;
}

export async function countUp(stage: Stage): Promise<Counts> {
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  const { rows } = await client.query<Record<"buyers" | "booked" | "refused" | "payments", number>>(`select
    (select count(distinct customer) from bookonce.bookings)::int as buyers,
    (select count(*) from bookonce.bookings where state = 'confirmed')::int as booked,
    (select count(*) from bookonce.checkouts where decision = 'declined')::int as refused,
    (select count(*) from bookonce.payments)::int as payments`);
  await client.end();
  const counted = rows[0];
  if (counted === undefined) throw new Error("nothing was counted");
  const { charges, refunds } = await stage.telegram.ledger.read();
  const audit = await stage.bookonce.audit();
  // A charge that Telegram has and the database has not would be lost; it counts as unaccounted too.
  const unknown = await countUnknown(
    stage,
    charges.map((charge) => charge.chargeId),
  );
  return {
    buyers: counted.buyers,
    booked: counted.booked,
    refusedBeforeCharge: counted.refused,
    charged: charges.length,
    refunded: refunds.length,
    duplicatesIgnored: stage.balancer.receipts() - counted.payments,
    unaccounted: audit.unaccounted + unknown,
  };
}

async function countUnknown(stage: Stage, chargeIds: readonly string[]): Promise<number> {
  const found = await Promise.all(chargeIds.map((chargeId) => stage.bookonce.payments.find({ chargeId })));
  return found.filter((payments) => payments.length === 0).length;
}

export async function printAudit(stage: Stage, timeline: Timeline, counts: Counts): Promise<boolean> {
  timeline.act("The audit");
  const { payments, problems } = await stage.bookonce.audit();
  const places = Object.entries(payments).map(([place, count]) => `${place} ${count}`);
  timeline.note(`Every payment is in one place: ${places.join(", ")}.`);
  timeline.note(
    `Telegram's ledger says: ${counts.charged} charges, ${counts.refunded} returned. Receipts that came again and changed nothing: ${counts.duplicatesIgnored}.`,
  );
  const ok = problems.length === 0 && counts.unaccounted === 0 && counts.booked === counts.charged - counts.refunded;
  if (ok)
    timeline.good(
      `${counts.booked} bookings for ${counts.charged - counts.refunded} charges that were kept. Nothing is lost, nothing doubled.`,
    );
  else timeline.bad(`Something is wrong: ${JSON.stringify({ counts, problems })}`);
  return ok;
}
