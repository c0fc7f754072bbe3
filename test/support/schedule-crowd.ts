import { randomUUID } from "node:crypto";
import type { BookingView, Refunder, ReserveSlotInput } from "bookonce";
import type { TestDatabase } from "./database.ts";
import type { Shop } from "./fixtures.ts";
import { type Wish, wishes } from "./schedule-shop.ts";
import type { By, ScheduleStep } from "./schedule-steps.ts";

const minute = 60_000;
const quarter = (instant: number): number => instant - (instant % (15 * minute));
const services = ["cut", "duo", "yoga", "choir", "visit", "daily"];

interface Row {
  readonly id: string;
  readonly customer: string;
  readonly token: string;
  readonly price_amount: string | null;
  readonly waitlist_entry_id: string | null;
  readonly state: BookingView["state"];
  readonly standing: boolean;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly hold_expires_at: Date | null;
  /** What was asked for, by number, is kept in its own data. */
  readonly wish: number | null;
}

type Verb = Exclude<Extract<ScheduleStep, { booking: number }>, { do: "reach" }>;

/** The same steps without a model, the waiting list among them: what is offered to whom is the shop's own doing. */
export class ScheduleCrowd {
  readonly #db: TestDatabase;
  readonly #shop: Shop;
  now: number;

  constructor(db: TestDatabase, shop: Shop, start: number) {
    this.#db = db;
    this.#shop = shop;
    this.now = start;
  }

  /** Where the clock goes to; it never goes back. */
  async timeOf(step: Extract<ScheduleStep, { do: "advance" | "reach" }>): Promise<number> {
    if (step.do === "advance") return this.now + step.ms;
    const booking = pick(await this.#bookings(), step);
    if (booking === undefined) return this.now;
    const { starts_at, ends_at, hold_expires_at } = booking;
    const edges = { hold: hold_expires_at ?? starts_at, start: starts_at, end: ends_at };
    const edge = typeof step.what === "number" ? starts_at.getTime() - step.what : edges[step.what].getTime();
    return Math.max(this.now, edge + step.offsetMs);
  }

  /** What was answered; null: there is nothing yet that it could be about. */
  async take(
    step: Exclude<ScheduleStep, { do: "advance" | "reach" }>,
  ): Promise<{ readonly outcome: string; readonly reason?: string } | null> {
    switch (step.do) {
      case "reserve":
        return this.#reserve(step);
      case "sweep":
        await this.#shop.sweep();
        return { outcome: "swept" };
      case "remind":
        return { outcome: (await this.#shop.reminders.run()).queued > 0 ? "queued" : "nobody to remind" };
      case "deliver":
        return {
          outcome: (await this.#shop.events.run(async () => undefined, { limit: 2 })).parked > 0 ? "parked" : "told",
        };
      case "tick":
        return { outcome: (await this.#shop.waitlist.tick()).offered > 0 ? "offered" : "nothing to offer" };
      case "refund":
        return this.#refund();
      case "join":
        return this.#join(step);
      case "leave":
        return this.#leave(step.entry);
      case "decline":
      case "accept":
        return this.#answerOffer(step);
      default: {
        const booking = pick(await this.#bookings(), step);
        return booking === undefined ? null : this.#about(booking, step);
      }
    }
  }

  async #bookings(): Promise<Row[]> {
    const text = `select id::text, customer, token, price_amount, waitlist_entry_id::text, state, starts_at, ends_at, hold_expires_at,
      (data ->> 'wish')::int as wish, state = 'confirmed' or state = 'pending'
        or state = 'held' and hold_expires_at + interval '1 second' > ${this.#db.schema}.clock() as standing
      from ${this.#db.schema}.bookings b
      order by (select min(e.id) from ${this.#db.schema}.events e where e.booking_id = b.id)`;
    return (await this.#db.pool.query<Row>({ name: "bookings", text })).rows;
  }

  async #reserve(step: Extract<ScheduleStep, { do: "reserve" }>) {
    const liked =
      step.like === null ? undefined : pick(await this.#bookings(), { booking: step.like, among: "standing" });
    const number = (liked?.wish ?? step.what) % wishes.length;
    const wish: Wish = wishes[number] ?? {};
    const sameStart = liked?.starts_at.getTime() ?? 0;
    const paid = step.how === "at_checkout" || (step.how === "hold" && wish.service === undefined);
    const input: ReserveSlotInput = {
      customer: `customer-${step.customer}`,
      start: new Date(sameStart > this.now - 1_000 ? sameStart : quarter(this.now) + step.startsInMs),
      quantity: step.quantity,
      data: { wish: number },
      claim: step.how === "at_checkout" ? "at_checkout" : "now",
      confirm: step.how === "confirm",
      ...(paid ? { price: { amount: 500, currency: "XTR" } } : step.how === "hold" ? {} : { price: null }),
      ...(wish.service !== undefined && { service: wish.service }),
      ...(wish.resources !== undefined && { resources: wish.resources }),
      ...(wish.minutes !== undefined && { duration: { minutes: wish.minutes } }),
    };
    return this.#shop.reserveSlot(input);
  }

  async #about(booking: Row, step: Verb) {
    const bookingId = booking.id;
    const price = { amount: Number(booking.price_amount), currency: "XTR" };
    const charge = {
      provider: "telegram_stars",
      account: "bot",
      payload: booking.token,
      payer: booking.customer,
      ...price,
    };
    switch (step.do) {
      case "reschedule": {
        const wish: Wish = step.what === null ? {} : (wishes[step.what % wishes.length] ?? {});
        return this.#shop.reschedule({
          bookingId,
          start: new Date(quarter(this.now) + step.startsInMs),
          ...who(step.by, booking),
          ...(wish.resources !== undefined && { resources: wish.resources }),
          ...(wish.minutes !== undefined && { duration: { minutes: wish.minutes } }),
        });
      }
      case "preCheckout":
        return booking.price_amount === null
          ? null
          : this.#shop.decidePreCheckout({ ...charge, checkoutId: step.id ?? randomUUID() });
      case "receipt":
        return booking.price_amount === null
          ? null
          : this.#shop.confirmPayment({
              ...charge,
              chargeId: step.id === null ? randomUUID() : `${step.id}-${bookingId}`,
            });
      case "preview":
        return this.#shop.previewCancel({ bookingId, ...who(step.by, booking) });
      case "cancel":
        return this.#shop.cancel({ bookingId, ...who(step.by, booking) });
      case "confirm":
        return this.#shop.confirm({ bookingId, ...who(step.by, booking) });
      case "transfer":
        return this.#shop.transfer({ bookingId, to: `customer-${step.to}`, ...who(step.by, booking) });
      case "attend":
        return step.attendance === "attended"
          ? this.#shop.checkIn({ bookingId, actor: "olga" })
          : this.#shop.markNoShow({ bookingId, actor: "olga" });
    }
  }

  async #refund() {
    const refunder: Refunder = {
      provider: "telegram_stars",
      refund: async () => ({ answer: "refunded", by: "telegram" }),
    };
    const { completed } = await this.#shop.refunds.run(refunder);
    return { outcome: completed > 0 ? "refunded" : "nothing to refund" };
  }

  async #join(step: Extract<ScheduleStep, { do: "join" }>) {
    return this.#shop.waitlist.join({
      customer: `customer-${step.customer}`,
      service: services[step.service % services.length] ?? "cut",
      quantity: step.quantity,
      from: new Date(this.now + 30 * minute),
      to: new Date(this.now + 4 * 60 * minute),
      consent: { text: "tell me" },
    });
  }

  async #leave(number: number) {
    const entries = await this.#shop.waitlist.list({ all: true });
    const entry = entries[number % Math.max(1, entries.length)];
    return entry === undefined ? null : this.#shop.waitlist.leave({ entryId: entry.id, customer: entry.customer });
  }

  async #answerOffer(step: Extract<ScheduleStep, { do: "decline" | "accept" }>) {
    const offers = (await this.#bookings()).filter((booking) => booking.waitlist_entry_id !== null);
    const offer = offers.at(-1 - (step.offer % Math.max(1, offers.length)));
    if (offer === undefined) return null;
    const asked = { bookingId: offer.id, customer: offer.customer };
    if (step.do === "decline") return this.#shop.waitlist.decline(asked);
    if (offer.price_amount === null) return this.#shop.confirm(asked);
    return this.#about(offer, { do: "receipt", booking: 0, among: "all", id: null });
  }
}

function pick(
  all: readonly Row[],
  { booking, among }: { readonly booking: number; readonly among: "standing" | "all" },
) {
  const standing = all.filter((row) => row.standing);
  const from = among === "standing" && standing.length > 0 ? standing : all;
  return from.at(-1 - (booking % Math.max(1, from.length)));
}

function who(by: By, { customer }: Row) {
  return by === "administrator" ? { administrator: "olga" } : { customer: by === "owner" ? customer : "stranger" };
}
