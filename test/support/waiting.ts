import type { BookingView, Bookonce, JoinWaitlistInput, ReserveSlotInput, WaitlistEntryView } from "bookonce";
import type { TestDatabase } from "./database.ts";

export const minute = 60_000;
export const hour = 60 * minute;
const day = 24 * hour;

type Shop = Omit<Bookonce, "within">;

/** A Monday at ten, far ahead of every clock that a test moves. */
export const ten: Date = new Date(Math.ceil(Date.now() / (7 * day)) * 7 * day + 105 * day + 4 * day + 10 * hour);

export function at(hours: number): Date {
  return new Date(ten.getTime() + (hours - 10) * hour);
}

const open = [{ from: "08:00", to: "20:00" }];

/** Every hour from eight to eight. */
const times: NonNullable<Parameters<Shop["services"]["put"]>[0]["times"]> = {
  schedule: { zone: "UTC", weekly: { monday: open, tuesday: open } },
  grid: { stepMinutes: 60, anchor: "window" },
};

/** A service of an hour on resources of its own: an exclusive one unless it has a capacity. */
export async function offering(
  shop: Shop,
  id: string,
  { capacity, price, hours = false }: { capacity?: number; price?: number; hours?: boolean } = {},
): Promise<string> {
  await shop.resources.put(
    capacity === undefined ? { id: `${id}-room` } : { id: `${id}-room`, kind: "counted", capacity },
  );
  await shop.services.put({
    id,
    duration: { minutes: 60 },
    resources: [`${id}-room`],
    ...(price !== undefined && { price: { amount: price, currency: "XTR" } }),
    ...(hours && { times }),
  });
  return id;
}

/** Books an hour, free of charge and confirmed at once. */
export async function sold(
  shop: Shop,
  service: string,
  customer: string,
  over: Partial<ReserveSlotInput> = {},
): Promise<BookingView> {
  const outcome = await shop.reserveSlot({ customer, service, start: ten, price: null, confirm: true, ...over });
  if (outcome.outcome !== "reserved") throw new Error(`not sold: ${JSON.stringify(outcome)}`);
  return outcome.booking;
}

/** Waits for the hour at ten, unless told otherwise. */
export async function waits(
  shop: Shop,
  service: string,
  customer: string,
  over: Partial<JoinWaitlistInput> = {},
): Promise<WaitlistEntryView> {
  const consent = { text: "tell me (v1)" };
  const outcome = await shop.waitlist.join({ customer, service, from: at(10), to: at(11), consent, ...over });
  if (outcome.outcome === "refused") throw new Error(`not joined: ${outcome.reason}`);
  return outcome.entry;
}

export async function entry(shop: Shop, { id }: { readonly id: string }): Promise<WaitlistEntryView> {
  const found = await shop.waitlist.get({ entryId: id, administrator: "test" });
  if (found === null) throw new Error("no such entry");
  return found;
}

/** The offer that is live for an entry. */
export async function offerOf(shop: Shop, of: { readonly id: string }): Promise<BookingView> {
  const { offer, state } = await entry(shop, of);
  if (offer === null) throw new Error(`no offer: ${state}`);
  return offer;
}

export async function statesOf(shop: Shop, entries: readonly { readonly id: string }[]): Promise<string[]> {
  return Promise.all(entries.map(async (one) => (await entry(shop, one)).state));
}

/** Events of the waiting list, in order: what was said to whom. */
export async function said(db: TestDatabase, type?: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ said: string }>(
    `select substr(type, 10) || ' ' || coalesce(data ->> 'customer', (select customer from ${db.schema}.bookings b where b.id = booking_id)) as said
     from ${db.schema}.events where type like 'waitlist_%' and ($1::text is null or type = 'waitlist_' || $1) order by id`,
    [type ?? null],
  );
  return rows.map((row) => row.said);
}
