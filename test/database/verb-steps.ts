import type { BookingView, ReserveSlotInput, Verbs, WaitlistEntryView } from "bookonce";
import type { TestDatabase } from "../support/database.ts";
import { aResource, databaseNow, day, hour, minute } from "../support/fixtures.ts";
import { offerOf, waits } from "../support/waiting.ts";

/** One verb on its way through a transaction of the application's. */
interface Step {
  /** Does what must have happened before, outside of the transaction, and gives what is then to be done, as often as it is asked. */
  prepare(): Promise<(verbs: Verbs) => Promise<string>>;
  readonly outcome: string;
}

/** Every verb once, each on a day of its own, so that none stands in another's way. There must be a resource anna and a service cut. */
export function verbSteps(database: () => TestDatabase) {
  let days = 1;
  const nextDay = (): Date => {
    days += 1;
    return new Date(Date.now() + days * day);
  };
  const slot = (customer: string, start = nextDay()): ReserveSlotInput => ({
    customer,
    resources: ["anna"],
    start,
    duration: { minutes: 60 },
    price: { amount: 5, currency: "XTR" },
  });
  const reserve = async (verbs: Verbs, input = slot(`customer ${days}`)): Promise<BookingView> => {
    const reserved = await verbs.reserveSlot(input);
    if (reserved.outcome === "refused") throw new Error(reserved.reason);
    return reserved.booking;
  };
  const asked = (booking: BookingView) => ({
    provider: "telegram_stars",
    account: "1",
    payload: booking.payload,
    payer: booking.customer,
    amount: 5,
    currency: "XTR",
  });
  const confirmed = async (input?: ReserveSlotInput): Promise<BookingView> => {
    const booking = await reserve(database().bookonce, input);
    await database().bookonce.confirmPayment({ ...asked(booking), chargeId: `paid ${booking.id}` });
    return booking;
  };
  const waiting = async (): Promise<WaitlistEntryView> => {
    const from = nextDay();
    return waits(database().bookonce, "cut", `waits ${days}`, { from, to: new Date(from.getTime() + hour) });
  };

  const steps: Readonly<Record<string, Step>> = {
    reserveSlot: {
      async prepare() {
        const wanted = slot(`somebody ${days}`);
        return async (verbs) => (await verbs.reserveSlot(wanted)).outcome;
      },
      outcome: "reserved",
    },
    decidePreCheckout: {
      async prepare() {
        const booking = await reserve(database().bookonce);
        return async (verbs) => (await verbs.decidePreCheckout({ ...asked(booking), checkoutId: booking.id })).outcome;
      },
      outcome: "approved",
    },
    voidApproval: {
      async prepare() {
        const booking = await reserve(database().bookonce);
        const query = { ...asked(booking), checkoutId: booking.id };
        await database().bookonce.decidePreCheckout(query);
        const { provider, account, checkoutId, payload } = query;
        const approval = { provider, account, checkoutId, payload, reason: "answer_expired" };
        return async (verbs) => (await verbs.voidApproval(approval)).outcome;
      },
      outcome: "voided",
    },
    confirmPayment: {
      async prepare() {
        const booking = await reserve(database().bookonce);
        return async (verbs) => (await verbs.confirmPayment({ ...asked(booking), chargeId: booking.id })).outcome;
      },
      outcome: "booked",
    },
    confirm: {
      async prepare() {
        const { id: bookingId } = await reserve(database().bookonce);
        return async (verbs) => (await verbs.confirm({ bookingId, administrator: "shop" })).outcome;
      },
      outcome: "confirmed",
    },
    "cancel, of a paid booking": {
      async prepare() {
        const { id: bookingId, customer } = await confirmed();
        return async (verbs) => (await verbs.cancel({ bookingId, customer })).outcome;
      },
      outcome: "cancelled",
    },
    "reschedule, of a paid booking": {
      async prepare() {
        const { id: bookingId, customer } = await confirmed();
        const start = nextDay();
        return async (verbs) => (await verbs.reschedule({ bookingId, customer, start })).outcome;
      },
      outcome: "rescheduled",
    },
    transfer: {
      async prepare() {
        const { id: bookingId, customer } = await confirmed();
        return async (verbs) => (await verbs.transfer({ bookingId, customer, to: `${customer}'s friend` })).outcome;
      },
      outcome: "transferred",
    },
    checkIn: {
      async prepare() {
        const { id: bookingId } = await confirmed();
        return async (verbs) => (await verbs.checkIn({ bookingId, actor: "door" })).outcome;
      },
      outcome: "marked",
    },
    markNoShow: {
      async prepare() {
        // It starts in a minute, of the clock that decides.
        const start = new Date((await databaseNow(database())).getTime() + minute);
        const resources = [await aResource(database().bookonce)];
        const { id: bookingId } = await confirmed({ ...slot("late", start), resources });
        await database().clock.advance(2 * minute);
        return async (verbs) => (await verbs.markNoShow({ bookingId, actor: "door" })).outcome;
      },
      outcome: "marked",
    },
    "waitlist.join": {
      async prepare() {
        const from = nextDay();
        const window = { from, to: new Date(from.getTime() + hour) };
        const wish = { customer: `waits ${days}`, service: "cut", ...window, consent: { text: "tell me (v1)" } };
        return async (verbs) => (await verbs.waitlist.join(wish)).outcome;
      },
      outcome: "joined",
    },
    "waitlist.leave": {
      async prepare() {
        const { id: entryId, customer } = await waiting();
        return async (verbs) => (await verbs.waitlist.leave({ entryId, customer })).outcome;
      },
      outcome: "left",
    },
    "waitlist.decline": {
      async prepare() {
        const entry = await waiting();
        await database().bookonce.waitlist.tick();
        const { id: bookingId } = await offerOf(database().bookonce, entry);
        return async (verbs) => (await verbs.waitlist.decline({ bookingId, customer: entry.customer })).outcome;
      },
      outcome: "declined",
    },
  };
  return { slot, reserve, asked, steps };
}
