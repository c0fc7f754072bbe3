import type { WaitlistReport } from "bookonce";
import { expire } from "../../src/core/expire.ts";
import type { Booking } from "../../src/core/model.ts";
import { offerPlace } from "../../src/core/offer-place.ts";
import { planOffers } from "../../src/core/plan-offers.ts";
import { settleEntry } from "../../src/core/settle-entry.ts";
import type { State } from "../../src/core/state.ts";
import { type Interval, overlaps } from "../../src/core/time.ts";
import { candidateSource } from "../../src/verbs/waiting-list-candidates.ts";
import type { SteppedDatabase } from "./schedule-clock.ts";
import { digestOfBooking } from "./schedule-digest.ts";
import { isOfferOf, isSettled, type Line, nextTurn, type Turn } from "./schedule-line-judge.ts";
import type { Sides, Taken } from "./schedule-sides.ts";

/** What a tick came to on the pure side. */
export interface Ticked {
  readonly report: WaitlistReport;
  readonly offers: readonly Booking[];
  /** Whether each offer went to whose turn it was, nobody's turn is left, and every entry says what has become of it. */
  readonly plausible: boolean;
}

/**
 * One pass over the waiting list on the pure side. The decisions are the core's, and the times to choose from are found by the verbs'
 * own pure function. Written here a second time: which services are looked at, in which order all of it happens, and what a decision
 * sees, which is everything and not what was read for it. That the decisions are right is judged by a plain reading of the line.
 */
export function tick(sides: Sides, during: Interval | null): Ticked {
  const { now, policies, services } = sides;
  const inLine = () => [...sides.state.entries.values()].filter(({ state }) => /^(waiting|unservable)$/.test(state));
  const looked = inLine().filter(({ window }) => during === null || overlaps(window, during));
  const served = [...new Set(looked.map(({ service }) => service))].sort();
  const report = { offered: 0, lapsed: 0, ended: 0, unservable: 0 };
  if (served.length === 0) return { report, offers: [], plausible: true };

  for (const { id, waitlistEntryId } of sides.state.bookings.values()) {
    if (waitlistEntryId === null) continue;
    if (sides.decide(expire(sides.state, { bookingId: id }, sides.context())).outcome === "expired") report.lapsed += 1;
  }
  const offers: Booking[] = [];
  const before: State[] = [];
  for (const id of served) {
    const line = inLine().filter(({ service }) => service === id);
    const found = services.get(id);
    const service = found?.active === true ? found : undefined;
    for (const { id: entryId } of line) {
      const asked = { entryId, servable: service !== undefined };
      const { outcome } = sides.decide(settleEntry(sides.state, asked, sides.context()));
      if (outcome === "ended" || outcome === "unservable") report[outcome] += 1;
    }
    if (service === undefined) continue;
    const settled = line.map((entry) => sides.state.entries.get(entry.id) ?? entry);
    const plan = planOffers(
      sides.state,
      settled,
      candidateSource(service, sides.state, sides.context()),
      sides.context(),
    );
    for (const offer of plan.offers) {
      before.push(sides.state);
      const decided = sides.decide(offerPlace(sides.state, offer, sides.context()));
      if (decided.outcome === "offered") offers.push(decided.booking);
    }
  }
  report.offered = offers.length;

  const lineOf = (state: State): Line => ({ state, now, policies, services, served });
  let last: Turn | null = null;
  let plausible = true;
  for (const [index, line] of before.map(lineOf).entries()) {
    const offer = offers[index];
    last = nextTurn(line, last);
    plausible &&= offer !== undefined && isOfferOf(last, offer, line);
  }
  const after = lineOf(sides.state);
  return { report, offers, plausible: plausible && isSettled(after) && nextTurn(after) === null };
}

const day = 24 * 3_600_000;

/** What a step has freed is offered before it answers, for services that somebody waits for within a day of it. */
export async function passedOn(sides: Sides, taken: Taken, db: SteppedDatabase): Promise<Taken> {
  const { freed, database, model } = taken;
  const ticked = taken.ticked ?? (freed && tick(sides, around(freed)));
  if (ticked === null || ticked === undefined) return taken;
  const offered = await offersOfDatabase(sides, db, ticked.offers);
  const ofModel = ticked.offers.map((offer) => [digestOfBooking(offer, sides.names), offer.waitlistEntryId]);
  return {
    ...taken,
    database: { answer: database, offered },
    model: { answer: model, offered: ofModel },
    plausible: taken.plausible && ticked.plausible,
  };
}

const around = ({ interval }: Booking): Interval => ({ start: interval.start - day, end: interval.end + day });

/** The offers that have been told since the last time, in order; each is paired with the model's of the same turn. */
async function offersOfDatabase(sides: Sides, db: SteppedDatabase, ofModel: readonly Booking[]): Promise<unknown[]> {
  const { rows } = await db.pool.query<{ id: string; event: string }>({
    name: "offers",
    text: `select booking_id::text as id, id::text as event from ${db.schema}.events
      where type = 'waitlist_offered' and id > $1::bigint order by events.id`,
    values: [sides.lastOffer],
  });
  const offered: unknown[] = [];
  for (const [index, { id, event }] of rows.entries()) {
    sides.lastOffer = event;
    const offer = await sides.shop.bookings.get(id);
    if (offer === null) continue;
    const { payload, customer: payer, price, service } = offer;
    const model = ofModel[index]?.id;
    const provider = sides.nextProvider();
    if (model !== undefined)
      sides.pairs.push({ model, id, payload, payer, price, provider, wish: service === null ? {} : { service } });
    offered.push([digestOfBooking(offer, sides.names), sides.nameOf(offer.waitlistEntryId)]);
  }
  return offered;
}
