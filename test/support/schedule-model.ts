import type { BookingView, Refunder, ReserveSlotInput, ServiceView, WantInput } from "bookonce";
import { attend } from "../../src/core/attend.ts";
import { cancel, previewCancel } from "../../src/core/cancel.ts";
import { confirm } from "../../src/core/confirm.ts";
import { confirmPayment } from "../../src/core/confirm-payment.ts";
import type { Context } from "../../src/core/context.ts";
import { decidePreCheckout } from "../../src/core/decide-pre-checkout.ts";
import { expire } from "../../src/core/expire.ts";
import type { Booking, NewEvent, ProviderKey, Resource, Want } from "../../src/core/model.ts";
import type { Policies } from "../../src/core/policies.ts";
import { knownProviders } from "../../src/core/providers.ts";
import { type RefundAnswer, settleRefund } from "../../src/core/refund.ts";
import { reschedule } from "../../src/core/reschedule.ts";
import { reserveSlot } from "../../src/core/reserve-slot.ts";
import { applyChanges, type Decision, emptyState, type State } from "../../src/core/state.ts";
import { transfer } from "../../src/core/transfer.ts";
import { timesPrice } from "../../src/verbs/reserve-slot.ts";
import { admitTime } from "../../src/verbs/time-rules.ts";
import { anchorAt, askFor, wantedOf } from "../../src/verbs/wanted.ts";
import type { Shop } from "./fixtures.ts";
import type { By, ScheduleStep } from "./schedule-steps.ts";

const minute = 60_000;

/** What one can ask for: a service, perhaps on other resources, or resources for so long. */
export interface Wish {
  readonly service?: string;
  readonly resources?: readonly WantInput[];
  readonly minutes?: number;
  readonly after?: number;
}

export const wishes: readonly Wish[] = [
  { resources: ["anna"], minutes: 60 },
  { resources: ["boris"], minutes: 45, after: 15 },
  { resources: ["room", "anna"], minutes: 60 },
  { resources: ["hall"], minutes: 90 },
  { resources: ["masters"], minutes: 60 },
  { resources: ["crew", "room"], minutes: 30 },
  { resources: ["crew", { resource: "hall", quantity: 2 }], minutes: 60 },
  { resources: ["nobody"], minutes: 60 },
  { resources: ["off"], minutes: 60 },
  { service: "cut" },
  { service: "cut", resources: ["anna"] },
  { service: "duo" },
  { service: "yoga" },
  { service: "yoga" },
  { service: "choir" },
  { service: "visit" },
  { service: "daily" },
];

/** The shop in which all of it happens. */
export async function furnish(
  shop: Shop,
): Promise<{ resources: readonly Resource[]; services: readonly ServiceView[] }> {
  for (const id of ["anna", "boris", "room"]) await shop.resources.put({ id });
  await shop.resources.put({ id: "hall", kind: "counted", capacity: 4 });
  await shop.resources.put({ id: "off", active: false });
  await shop.resources.put({ id: "masters", kind: "pool", members: ["boris", "anna"], fairness: "least_loaded" });
  await shop.resources.put({ id: "crew", kind: "pool", members: ["anna", "boris"], fairness: "least_recent" });
  const open = [
    { from: "08:00", to: "13:00" },
    { from: "13:30", to: "20:00" },
  ];
  const times = {
    schedule: { zone: "Asia/Tashkent", weekly: { monday: open, tuesday: open } },
    grid: { stepMinutes: 15, anchor: "window" },
    notice: { minutes: 10 },
  } as const;
  const price = { amount: 500, currency: "XTR" };
  const hour = { minutes: 60 };
  const after = { after: { minutes: 15 } };
  await shop.services.put({ id: "cut", duration: hour, resources: ["masters"], buffers: after, price, times });
  await shop.services.put({
    id: "duo",
    duration: { minutes: 45 },
    resources: ["room", "anna"],
    price: { ...price, amount: 300 },
  });
  await shop.services.put({
    id: "yoga",
    duration: hour,
    resources: ["room"],
    buffers: after,
    session: { capacity: 3 },
    price,
  });
  await shop.services.put({ id: "choir", duration: hour, resources: ["masters"], session: { capacity: 2 } });
  await shop.services.put({
    id: "visit",
    duration: { minutes: 90 },
    resources: ["hall"],
    limits: { perDayPerCustomer: 2 },
  });
  await shop.services.put({
    id: "daily",
    duration: { minutes: 30 },
    resources: ["anna"],
    limits: { perDayPerResource: 3, perDayPerCustomer: 2 },
  });
  return { resources: await shop.resources.list(), services: await shop.services.list() };
}

export interface Pair {
  readonly model: string;
  readonly id: string;
  readonly payload: string;
  readonly payer: string;
  readonly price: BookingView["price"];
}

interface Answers {
  readonly database: unknown;
  readonly model: unknown;
}

/** The schedule's verbs, taken by the database and by the pure core side by side. Bookings are paired in the order they were made. */
export class ScheduleModel {
  state: State;
  readonly events: NewEvent[] = [];
  readonly pairs: Pair[] = [];
  readonly #shop: Shop;
  readonly #policies: Policies;
  readonly #services: ReadonlyMap<string, ServiceView>;
  readonly #start: number;
  /** The quotes of previews, by booking; both sides make the same of the same terms. */
  readonly #quotes = new Map<string, string>();
  now: number;
  #ids = 0;

  constructor(
    shop: Shop,
    policies: Policies,
    now: number,
    { resources, services }: Awaited<ReturnType<typeof furnish>>,
  ) {
    this.#shop = shop;
    this.#policies = policies;
    this.#services = new Map(services.map((service) => [service.id, service]));
    this.#start = now;
    this.now = now;
    this.state = {
      ...emptyState,
      resources: new Map(resources.map((one) => [one.id, { ...one, lastChosenAt: null }])),
    };
  }

  /** Takes the step on both sides; the two answers must be equal. Null: there is nothing yet that it could be about. */
  async take(step: ScheduleStep): Promise<Answers | null> {
    if (step.do === "reserve") return this.#reserve(step);
    if (step.do === "sweep") return this.#sweep();
    if (step.do === "refund") return this.#refund(step.answer);
    if (!("booking" in step)) return null;
    const pair = this.#pair(step.booking);
    if (pair === undefined) return null;
    switch (step.do) {
      case "reschedule":
        return this.#reschedule(step, pair);
      case "preCheckout":
      case "receipt":
        return this.#money(step, pair);
      case "preview":
        return this.#preview(step.by, pair);
      case "cancel":
        return this.#cancel(step, pair);
      case "confirm":
        return this.#answers(
          await this.#shop.confirm({ bookingId: pair.id, ...this.#who(step.by, pair).verb }),
          confirm(this.state, { bookingId: pair.model, ...this.#who(step.by, pair).core }, this.#context()),
        );
      case "transfer": {
        const to = `customer-${step.to}`;
        return this.#answers(
          await this.#shop.transfer({ bookingId: pair.id, to, ...this.#who(step.by, pair).verb }),
          transfer(this.state, { bookingId: pair.model, to, ...this.#who(step.by, pair).core }, this.#context()),
        );
      }
      case "attend": {
        const input = { bookingId: pair.id, actor: "olga" };
        const { attendance } = step;
        return this.#answers(
          await (attendance === "attended" ? this.#shop.checkIn(input) : this.#shop.markNoShow(input)),
          attend(this.state, { bookingId: pair.model, attendance, actor: "olga" }, this.#context()),
        );
      }
    }
  }

  #pair(fromNewest: number): Pair | undefined {
    return this.pairs.at(-1 - (fromNewest % Math.max(1, this.pairs.length)));
  }

  /** Who asks, as it stands with the booking now: it may have been given away. */
  #who(by: By, { model }: Pair) {
    const customer =
      by === "administrator" ? null : by === "stranger" ? "stranger" : (this.state.bookings.get(model)?.customer ?? "");
    return {
      verb: customer === null ? { administrator: "olga" } : { customer },
      core: { customer, actor: customer ?? "olga" },
    };
  }

  #answers(database: object, decision: Decision<object>): Answers {
    const model = this.#decide(decision);
    return { database: this.#digest(database), model: this.#digest(model) };
  }

  #decide<Outcome>(decision: Decision<Outcome>): Outcome {
    this.state = applyChanges(this.state, decision.changes);
    this.events.push(...(decision.changes.events ?? []));
    return decision.outcome;
  }

  /** What an answer says, in words that both sides have. */
  #digest(answer: object): unknown {
    const {
      booking,
      refund,
      terms,
      before: _before,
      replaced,
      payment: _payment,
      earliest,
      latest,
      agreed: _a,
      asked: _b,
      ...rest
    } = answer as Record<string, unknown>;
    return {
      ...rest,
      ...(earliest !== undefined && { earliest: Number(earliest) }),
      ...(latest !== undefined && { latest: Number(latest) }),
      ...("holdExpiresAt" in rest && { holdExpiresAt: Number(rest["holdExpiresAt"]) }),
      ...(refund !== undefined && { refund: refund !== null }),
      ...(terms !== undefined && { terms }),
      ...(replaced !== undefined && { replaced: replaced !== null }),
      ...(booking !== undefined &&
        booking !== null && { booking: this.#digestBooking(booking as Booking | BookingView) }),
      ...(booking === null && { booking }),
      ...("resource" in rest && { resource: rest["resource"] ?? null }),
    };
  }

  #digestBooking(booking: Booking | BookingView): unknown {
    const start = "interval" in booking ? booking.interval.start : booking.start.getTime();
    const { id, customer, version, resources, wants, attendance } = booking;
    const pair = this.pairs.find((one) => one.id === id || one.model === id);
    return [
      pair?.model ?? "new",
      customer,
      version,
      start,
      resources,
      wants,
      attendance,
      Number(booking.holdExpiresAt),
    ];
  }

  #context(): Context {
    const next = (): string => {
      this.#ids += 1;
      return `m${String(this.#ids).padStart(4, "0")}`;
    };
    return {
      now: this.now,
      policies: this.#policies,
      providers: knownProviders,
      admitTime,
      newId: next,
      newToken: () => `bko1_${next()}`,
    };
  }

  async #reserve(step: Extract<ScheduleStep, { do: "reserve" }>): Promise<Answers | null> {
    const wish = wishes[step.what % wishes.length] ?? {};
    const service = this.#services.get(wish.service ?? "") ?? null;
    const start = this.#start + step.startsInMs;
    const customer = `customer-${step.customer}`;
    const { quantity, requestId } = step;
    const stars = { amount: 500, currency: "XTR" };
    const own = this.pairs.filter(({ payer }) => payer === customer);
    const replaced = step.replaces === null ? undefined : (own.at(-1 - step.replaces) ?? this.#pair(step.replaces));
    const claim = step.how === "at_checkout" ? ("at_checkout" as const) : ("now" as const);
    const free = step.how === "confirm" || step.how === "free";
    // A free service has no checkout, and none of its own can be told to have one.
    const price = free
      ? null
      : claim === "at_checkout"
        ? stars
        : service === null
          ? stars
          : timesPrice(service.price, quantity);
    const given = free ? { price: null } : service === null || claim === "at_checkout" ? { price: stars } : {};
    const input: ReserveSlotInput = {
      customer,
      start: new Date(start),
      quantity,
      claim,
      confirm: step.how === "confirm",
      ...given,
      ...(wish.service !== undefined && { service: wish.service }),
      ...(wish.resources !== undefined && { resources: wish.resources }),
      ...(wish.minutes !== undefined && { duration: { minutes: wish.minutes } }),
      ...(wish.after !== undefined && { buffers: { after: { minutes: wish.after } } }),
      ...(requestId !== null && { requestId }),
      ...(replaced !== undefined && { replaces: replaced.id }),
    };
    const end = start + (service?.durationMs ?? (wish.minutes ?? 0) * minute);
    const asked = askFor(
      service === null ? null : { id: service.id, definition: service },
      wantsOf(wish.resources),
      { start, end },
      quantity,
    );
    const buffers = service?.buffers ?? { beforeMs: 0, afterMs: (wish.after ?? 0) * minute };
    const wanted = wantedOf({ ...asked, buffers }, customer);
    const database = await this.#shop.reserveSlot(input);
    const command = {
      ...wanted,
      payer: customer,
      anchor: anchorAt(start, wanted.rules),
      service: service?.id ?? null,
      price,
      claim,
      confirm: step.how === "confirm",
      holdMs: null,
      replaces: replaced?.model ?? null,
      requestId,
      requestDigest: JSON.stringify([
        service?.id,
        wanted.wants,
        start,
        end,
        buffers,
        price,
        claim,
        step.how === "confirm",
      ]),
      title: null,
      data: {},
      actor: customer,
    };
    const model = this.#decide(reserveSlot(this.state, command, this.#context()));
    if (database.outcome === "reserved" && model.outcome === "reserved") {
      const { id, payload, price: agreed } = database.booking;
      this.pairs.push({ model: model.booking.id, id, payload, payer: customer, price: agreed });
    }
    return { database: this.#digest(database), model: this.#digest(model) };
  }

  async #reschedule(step: Extract<ScheduleStep, { do: "reschedule" }>, pair: Pair): Promise<Answers> {
    const booking = this.#booking(pair);
    const service = this.#services.get(booking.service ?? "") ?? null;
    const wish = step.what === null ? {} : (wishes[step.what % wishes.length] ?? {});
    const start = this.#start + step.startsInMs;
    const end =
      start + (wish.minutes === undefined ? booking.interval.end - booking.interval.start : wish.minutes * minute);
    const other = { amount: 499, currency: "XTR" };
    const database = await this.#shop.reschedule({
      bookingId: pair.id,
      start: new Date(start),
      ...this.#who(step.by, pair).verb,
      ...(wish.resources !== undefined && { resources: wish.resources }),
      ...(wish.minutes !== undefined && { duration: { minutes: wish.minutes } }),
      ...(step.price === "other" && { price: other }),
    });
    const asked = askFor(
      service === null ? null : { id: service.id, definition: service },
      wantsOf(wish.resources) ?? booking.wants,
      { start, end },
      1,
    );
    const wanted = wantedOf({ ...asked, buffers: booking.buffers }, booking.customer);
    const command = {
      bookingId: pair.model,
      version: booking.version,
      ...this.#who(step.by, pair).core,
      wanted,
      anchor: anchorAt(start, wanted.rules),
      price: step.price === "other" ? other : undefined,
      agreed: false,
    };
    return this.#answers(database, reschedule(this.state, command, this.#context()));
  }

  async #money(step: Extract<ScheduleStep, { do: "preCheckout" | "receipt" }>, pair: Pair): Promise<Answers | null> {
    const { payload, payer, price } = pair;
    if (price === null) return null;
    const provider = "telegram_stars";
    const input = { provider, account: "bot", payload, payer, ...price };
    const facts = { token: this.#booking(pair).token, payer, money: price };
    const key = { provider, account: "bot", externalId: step.id };
    if (step.do === "preCheckout") {
      return this.#answers(
        await this.#shop.decidePreCheckout({ ...input, checkoutId: step.id }),
        decidePreCheckout(this.state, { key, facts }, this.#context()),
      );
    }
    return this.#answers(
      await this.#shop.confirmPayment({ ...input, chargeId: step.id }),
      confirmPayment(this.state, { key, facts, recurring: false, details: {} }, this.#context()),
    );
  }

  async #preview(by: By, pair: Pair): Promise<Answers> {
    const { verb, core } = this.#who(by, pair);
    const database = await this.#shop.previewCancel({ bookingId: pair.id, ...verb });
    const model = previewCancel(this.state, { bookingId: pair.model, customer: core.customer }, this.#context());
    if (model.outcome === "preview") this.#quotes.set(pair.model, model.terms.quote);
    return { database: this.#digest(database), model: this.#digest(model) };
  }

  async #cancel(step: Extract<ScheduleStep, { do: "cancel" }>, pair: Pair): Promise<Answers> {
    const { verb, core } = this.#who(step.by, pair);
    // The quote may be an old one: of another version, or of another day.
    const quote = step.quote ? (this.#quotes.get(pair.model) ?? null) : null;
    const database = await this.#shop.cancel({ bookingId: pair.id, ...verb, ...(quote !== null && { quote }) });
    return this.#answers(
      database,
      cancel(this.state, { bookingId: pair.model, ...core, reason: null, quote }, this.#context()),
    );
  }

  async #sweep(): Promise<Answers> {
    const { expired } = await this.#shop.sweep();
    let inModel = 0;
    for (const bookingId of this.state.bookings.keys()) {
      if (this.#decide(expire(this.state, { bookingId }, this.#context())).outcome === "expired") inModel += 1;
    }
    return { database: { outcome: "swept", expired }, model: { outcome: "swept", expired: inModel } };
  }

  /** One run of the refund worker. Of several refunds that are due at one instant either side may take any: the model follows. */
  async #refund(kind: "refunded" | "unknown" | "retry_later"): Promise<Answers> {
    const answers: Record<typeof kind, RefundAnswer> = {
      refunded: { answer: "refunded", by: "telegram" },
      unknown: { answer: "unknown", error: "timed out" },
      retry_later: { answer: "retry_later", afterMs: minute, error: "429" },
    };
    const answer = answers[kind];
    const taken: string[] = [];
    const refunder: Refunder = {
      provider: "telegram_stars",
      async refund({ payment }) {
        taken.push(payment.chargeId);
        return answer;
      },
    };
    await this.#shop.refunds.run(refunder, { limit: 1 });
    const due = [...this.state.refunds.values()]
      .filter((refund) => (refund.state === "pending" || refund.state === "unconfirmed") && refund.dueAt <= this.now)
      .map((refund) => ({ refund, charge: this.#chargeOf(refund.paymentId).externalId }));
    const first = Math.min(...due.map(({ refund }) => refund.dueAt));
    const match = due.find(({ charge, refund }) => charge === taken[0] && refund.dueAt === first);
    if (match !== undefined) {
      const { refund } = match;
      const leased = {
        ...refund,
        state: "sending",
        attempts: refund.attempts + 1,
        leaseToken: "lease",
        leaseUntil: this.now,
      } as const;
      this.state = applyChanges(this.state, { refunds: [leased] });
      this.#decide(
        settleRefund(this.state, { refundId: refund.id, leaseToken: "lease", answer, note: null }, this.#context()),
      );
    }
    const model = match?.charge ?? (due.length === 0 ? undefined : "another one, that is due first");
    return { database: { outcome: "ran", charge: taken[0] }, model: { outcome: "ran", charge: model } };
  }

  #chargeOf(paymentId: string): ProviderKey {
    const payment = [...this.state.payments.values()].find(({ id }) => id === paymentId);
    if (payment === undefined) throw new Error(`no payment ${paymentId}`);
    return payment.key;
  }

  #booking({ model }: Pair): Booking {
    const booking = this.state.bookings.get(model);
    if (booking === undefined) throw new Error(`no booking ${model}`);
    return booking;
  }
}

/** As the verbs read them: sorted, so that the same wants are the same. */
function wantsOf(resources: readonly WantInput[] | undefined): Want[] | undefined {
  return resources
    ?.map((want) => (typeof want === "string" ? { resource: want, quantity: 1 } : want))
    .sort((left, right) => (left.resource < right.resource ? -1 : 1));
}
