import type { BookingView, Refunder, ReserveSlotInput } from "bookonce";
import type { TestDatabase } from "./database.ts";
import type { Shop } from "./fixtures.ts";
import { type Wish, wishes } from "./schedule-model.ts";
import type { By, ScheduleStep } from "./schedule-steps.ts";

const minute = 60_000;
const services = ["cut", "duo", "yoga", "choir", "visit", "daily"];

interface Row {
  readonly id: string;
  readonly customer: string;
  readonly token: string;
  readonly price_amount: string | null;
  readonly waitlist_entry_id: string | null;
  readonly state: BookingView["state"];
}

/** The same steps without a model, the waiting list among them: what is offered to whom is the shop's own doing. */
export class ScheduleCrowd {
  readonly #db: TestDatabase;
  readonly #shop: Shop;
  readonly #start: number;

  constructor(db: TestDatabase, shop: Shop, start: number) {
    this.#db = db;
    this.#shop = shop;
    this.#start = start;
  }

  /** What was answered; null: there is nothing yet that it could be about. */
  async take(
    step: Exclude<ScheduleStep, { do: "advance" }>,
  ): Promise<{ readonly outcome: string; readonly reason?: string } | null> {
    switch (step.do) {
      case "reserve":
        return this.#reserve(step);
      case "sweep":
        await this.#shop.sweep();
        return { outcome: "swept" };
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
        const found = await this.#bookings();
        const booking = found.at(-1 - (step.booking % Math.max(1, found.length)));
        return booking === undefined ? null : this.#about(booking, step);
      }
    }
  }

  async #bookings(): Promise<Row[]> {
    const text = `select id::text, customer, token, price_amount, waitlist_entry_id::text, state from ${this.#db.schema}.bookings order by created_at, id`;
    return (await this.#db.pool.query<Row>(text)).rows;
  }

  async #reserve(step: Extract<ScheduleStep, { do: "reserve" }>) {
    const wish: Wish = wishes[step.what % wishes.length] ?? {};
    const paid = step.how === "at_checkout" || (step.how === "hold" && wish.service === undefined);
    const input: ReserveSlotInput = {
      customer: `customer-${step.customer}`,
      start: new Date(this.#start + step.startsInMs),
      quantity: step.quantity,
      claim: step.how === "at_checkout" ? "at_checkout" : "now",
      confirm: step.how === "confirm",
      ...(paid ? { price: { amount: 500, currency: "XTR" } } : step.how === "hold" ? {} : { price: null }),
      ...(wish.service !== undefined && { service: wish.service }),
      ...(wish.resources !== undefined && { resources: wish.resources }),
      ...(wish.minutes !== undefined && { duration: { minutes: wish.minutes } }),
    };
    return this.#shop.reserveSlot(input);
  }

  async #about(booking: Row, step: Extract<ScheduleStep, { booking: number }>) {
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
          start: new Date(this.#start + step.startsInMs),
          ...who(step.by, booking),
          ...(wish.resources !== undefined && { resources: wish.resources }),
          ...(wish.minutes !== undefined && { duration: { minutes: wish.minutes } }),
        });
      }
      case "preCheckout":
        return booking.price_amount === null ? null : this.#shop.decidePreCheckout({ ...charge, checkoutId: step.id });
      case "receipt":
        return booking.price_amount === null
          ? null
          : this.#shop.confirmPayment({ ...charge, chargeId: `${step.id}-${bookingId}` });
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
      from: new Date(this.#start + 30 * minute),
      to: new Date(this.#start + 4 * 60 * minute),
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
    return this.#about(offer, { do: "receipt", booking: 0, id: "accepted" });
  }
}

function who(by: By, { customer }: Row) {
  return by === "administrator" ? { administrator: "olga" } : { customer: by === "owner" ? customer : "stranger" };
}
