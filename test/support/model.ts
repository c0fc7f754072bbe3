import type { Refunder } from "bookonce";
import { cancel } from "../../src/core/cancel.ts";
import { confirmPayment } from "../../src/core/confirm-payment.ts";
import type { Context } from "../../src/core/context.ts";
import { decidePreCheckout } from "../../src/core/decide-pre-checkout.ts";
import { expire } from "../../src/core/expire.ts";
import { noLimits } from "../../src/core/limits.ts";
import type { Booking, NewEvent, Payment, PaymentFacts, ProviderKey } from "../../src/core/model.ts";
import type { Policies } from "../../src/core/policies.ts";
import { knownProviders } from "../../src/core/providers.ts";
import { type RefundAnswer, settleRefund } from "../../src/core/refund.ts";
import { reserveSlot } from "../../src/core/reserve-slot.ts";
import { review } from "../../src/core/review.ts";
import { applyChanges, type Decision, emptyState, type State } from "../../src/core/state.ts";
import { voidApproval } from "../../src/core/void-approval.ts";
import type { Shop } from "./fixtures.ts";
import { aResource, dayOf, noBuffers, wantsOf } from "./worlds.ts";

/** One thing that somebody does, by numbers: which booking or payment is meant is found when it runs. */
export type Step =
  | {
      readonly do: "reserve";
      readonly customer: number;
      readonly resources: readonly string[];
      readonly startsInMs: number;
      readonly claim: "now" | "at_checkout";
      readonly requestId: string | null;
    }
  | { readonly do: "preCheckout"; readonly booking: number; readonly query: string; readonly wrong: Wrong }
  | { readonly do: "void"; readonly booking: number; readonly query: string }
  | {
      readonly do: "receipt";
      readonly booking: number;
      readonly charge: string;
      readonly wrong: Wrong;
      readonly provider: string;
      readonly recurring: boolean;
    }
  | { readonly do: "cancel"; readonly booking: number; readonly by: "owner" | "stranger" | "administrator" }
  | { readonly do: "review"; readonly payment: number; readonly action: "refund" | "close" | "attach" }
  | { readonly do: "sweep" }
  | { readonly do: "refund"; readonly answer: RefundAnswer["answer"] }
  | { readonly do: "advance"; readonly ms: number };

export type Wrong = "nothing" | "payer" | "amount" | "payload";

const price = { amount: 500, currency: "XTR" };
const hour = 3_600_000;

/**
 * The same steps, taken by the database and by the pure core side by side. The core has its own ids and tokens; bookings are paired
 * in the order in which they were made.
 */
export class Model {
  state: State;
  readonly events: NewEvent[] = [];
  /** Ids and payloads of the same booking on both sides. */
  readonly pairs: {
    readonly model: string;
    readonly id: string;
    readonly payload: string;
    readonly customer: string;
  }[] = [];
  readonly #policies: Policies;
  readonly #start: number;
  readonly #shop: Shop;
  #now: number;
  #ids = 0;

  constructor(shop: Shop, policies: Policies, now: number, resources: readonly string[]) {
    this.#shop = shop;
    this.#policies = policies;
    this.#start = now;
    this.#now = now;
    this.state = { ...emptyState, resources: new Map(resources.map((id) => [id, aResource(id)])) };
  }

  advanced(ms: number): void {
    this.#now += ms;
  }

  /** Takes the step on both sides; the two answers must be equal. Null: there is nothing yet that it could be about. */
  async take(step: Exclude<Step, { readonly do: "advance" }>): Promise<{ database: unknown; model: unknown } | null> {
    switch (step.do) {
      case "reserve":
        return this.#reserve(step);
      case "sweep":
        return this.#sweep();
      case "refund":
        return this.#refund(step.answer);
      case "review":
        return this.#review(step);
      default: {
        // Counted from the newest, about which there is most to be decided.
        const pair = this.pairs.at(-1 - (step.booking % Math.max(1, this.pairs.length)));
        if (pair === undefined) return null;
        if (step.do === "cancel") return this.#cancel(step, pair);
        if (step.do === "void") return this.#void(step, pair);
        return step.do === "preCheckout" ? this.#preCheckout(step, pair) : this.#receipt(step, pair);
      }
    }
  }

  #decide<Outcome>(decision: Decision<Outcome>): Outcome {
    this.state = applyChanges(this.state, decision.changes);
    this.events.push(...(decision.changes.events ?? []));
    return decision.outcome;
  }

  #context(): Context {
    const next = (): string => {
      this.#ids += 1;
      return `m${String(this.#ids).padStart(4, "0")}`;
    };
    return {
      now: this.#now,
      policies: this.#policies,
      providers: knownProviders,
      admitTime: () => null,
      newId: next,
      newToken: () => `bko1_${next()}`,
    };
  }

  async #reserve(step: Extract<Step, { do: "reserve" }>) {
    const start = this.#start + step.startsInMs;
    const customer = `customer-${step.customer}`;
    const resources = [...step.resources].sort();
    const { claim, requestId } = step;
    const database = await this.#shop.reserveSlot({
      customer,
      resources: step.resources,
      start: new Date(start),
      duration: { hours: 1 },
      price,
      claim,
      ...(requestId === null ? {} : { requestId }),
    });
    const model = this.#decide(
      reserveSlot(
        this.state,
        {
          customer,
          payer: customer,
          wants: wantsOf(resources),
          interval: { start, end: start + hour },
          buffers: noBuffers,
          day: dayOf(start),
          service: null,
          session: null,
          rules: null,
          limits: noLimits,
          anchor: null,
          replaces: null,
          price,
          claim,
          confirm: false,
          holdMs: null,
          requestId,
          requestDigest: JSON.stringify([resources, start, claim]),
          title: null,
          data: {},
          actor: customer,
        },
        this.#context(),
      ),
    );
    if (database.outcome === "reserved" && model.outcome === "reserved") {
      this.pairs.push({
        model: model.booking.id,
        id: database.booking.id,
        payload: database.booking.payload,
        customer,
      });
    }
    return {
      database: [
        label(database),
        "booking" in database ? this.pairs.find((p) => p.id === database.booking.id)?.model : null,
      ],
      model: [label(model), "booking" in model ? model.booking.id : null],
    };
  }

  /** The same charge or query as each side calls it. */
  #facts(wrong: Wrong, pair: { model: string; payload: string; customer: string }) {
    const payer = wrong === "payer" ? "stranger" : pair.customer;
    const amount = wrong === "amount" ? 499 : 500;
    const token = this.#booking(pair.model).token;
    const facts: PaymentFacts = {
      token: wrong === "payload" ? "bko1_nobody" : token,
      payer,
      money: { amount, currency: "XTR" },
    };
    const payload = wrong === "payload" ? "bko1_nobody" : pair.payload;
    return { facts, input: { account: "bot", payload, payer, amount, currency: "XTR" } };
  }

  async #preCheckout(step: Extract<Step, { do: "preCheckout" }>, pair: Model["pairs"][number]) {
    const { facts, input } = this.#facts(step.wrong, pair);
    const provider = "telegram_stars";
    const database = await this.#shop.decidePreCheckout({ ...input, provider, checkoutId: step.query });
    const key = { provider, account: "bot", externalId: step.query };
    const model = this.#decide(decidePreCheckout(this.state, { key, facts }, this.#context()));
    return { database: label(database), model: label(model) };
  }

  async #receipt(step: Extract<Step, { do: "receipt" }>, pair: Model["pairs"][number]) {
    const { facts, input } = this.#facts(step.wrong, pair);
    const { provider, charge, recurring } = step;
    const database = await this.#shop.confirmPayment({ ...input, provider, chargeId: charge, recurring });
    const key = { provider, account: "bot", externalId: charge };
    const model = this.#decide(confirmPayment(this.state, { key, facts, recurring, details: {} }, this.#context()));
    return { database: label(database), model: label(model) };
  }

  async #void(step: Extract<Step, { do: "void" }>, pair: Model["pairs"][number]) {
    const key = { provider: "telegram_stars", account: "bot", externalId: step.query };
    const { provider, account, externalId } = key;
    const reason = "too old";
    const database = await this.#shop.voidApproval({
      provider,
      account,
      checkoutId: externalId,
      payload: pair.payload,
      reason,
    });
    const model = this.#decide(voidApproval(this.state, { key, reason }, this.#context()));
    return { database: label(database), model: label(model) };
  }

  async #cancel(step: Extract<Step, { do: "cancel" }>, pair: Model["pairs"][number]) {
    const customer = step.by === "administrator" ? null : step.by === "owner" ? pair.customer : "stranger";
    const database = await this.#shop.cancel({
      bookingId: pair.id,
      ...(customer === null ? { administrator: "olga" } : { customer }),
    });
    const asked = { bookingId: pair.model, customer, actor: customer ?? "olga", reason: null, quote: null };
    const model = this.#decide(cancel(this.state, asked, this.#context()));
    return {
      database: [label(database), database.outcome === "cancelled" && database.refund !== null],
      model: [label(model), model.outcome === "cancelled" && model.refund !== null],
    };
  }

  async #review(step: Extract<Step, { do: "review" }>) {
    const waiting = [...this.state.payments.values()].filter((payment) => payment.review === "open");
    const payment = waiting[step.payment % Math.max(1, waiting.length)];
    if (payment === undefined) return null;
    const pair = this.pairs.find(({ model }) => model === payment.bookingId);
    if (step.action === "attach" && pair === undefined) return null;
    const paymentId = await this.#paymentId(payment);
    const actor = "olga";
    const asked = { paymentId: payment.id, actor, note: step.action === "close" ? "settled" : null };
    if (step.action === "attach" && pair !== undefined) {
      const database = await this.#shop.reviews.attach({ paymentId, bookingId: pair.id, actor });
      const action = { attachTo: pair.model };
      return {
        database: label(database),
        model: label(this.#decide(review(this.state, { ...asked, action }, this.#context()))),
      };
    }
    const action = step.action === "close" ? "close" : "refund";
    const database =
      action === "close"
        ? await this.#shop.reviews.close({ paymentId, actor, note: "settled" })
        : await this.#shop.reviews.refund({ paymentId, actor });
    return {
      database: label(database),
      model: label(this.#decide(review(this.state, { ...asked, action }, this.#context()))),
    };
  }

  async #paymentId({ key }: Payment): Promise<string> {
    const found = await this.#shop.payments.find({ chargeId: key.externalId });
    return found.find((payment) => payment.provider === key.provider)?.id ?? "";
  }

  async #sweep() {
    const { expired } = await this.#shop.sweep();
    let inModel = 0;
    for (const bookingId of this.state.bookings.keys()) {
      if (this.#decide(expire(this.state, { bookingId }, this.#context())).outcome === "expired") inModel += 1;
    }
    return { database: expired, model: inModel };
  }

  /** One run of the refund worker. Of several refunds that are due at one instant either side may take any: the model follows. */
  async #refund(kind: RefundAnswer["answer"]) {
    const answers: Record<RefundAnswer["answer"], RefundAnswer> = {
      refunded: { answer: "refunded", by: "telegram" },
      unknown: { answer: "unknown", error: "timed out" },
      retry_later: { answer: "retry_later", afterMs: 60_000, error: "429" },
      refused: { answer: "refused", error: "no" },
      unrecognised: { answer: "unrecognised", error: "new" },
    };
    const answer = answers[kind];
    let taken: ProviderKey | null = null;
    const refunder: Refunder = {
      provider: "telegram_stars",
      async refund({ payment: { provider, account, chargeId } }) {
        taken = { provider, account, externalId: chargeId };
        return answer;
      },
    };
    await this.#shop.refunds.run(refunder, { limit: 1 });
    const key: ProviderKey | null = taken;
    const due = [...this.state.refunds.values()]
      .filter((refund) => ["pending", "unconfirmed"].includes(refund.state) && refund.dueAt <= this.#now)
      .map((refund) => ({ refund, charge: this.#chargeOf(refund.paymentId) }))
      .filter(({ charge }) => charge.provider === "telegram_stars");
    const first = Math.min(...due.map(({ refund }) => refund.dueAt));
    const match = due.find(({ charge, refund }) => same(charge, key) && refund.dueAt === first);
    if (match !== undefined) {
      const leased = {
        ...match.refund,
        state: "sending",
        attempts: match.refund.attempts + 1,
        leaseToken: "lease",
        leaseUntil: this.#now,
      } as const;
      this.state = applyChanges(this.state, { refunds: [leased] });
      const settled = {
        refundId: leased.id,
        leaseToken: "lease",
        answer,
        note: null,
        maybeDone: match.refund.state !== "pending",
      };
      this.#decide(settleRefund(this.state, settled, this.#context()));
    }
    return { database: key, model: match?.charge ?? (due.length === 0 ? null : "another one, that is due first") };
  }

  #chargeOf(paymentId: string): ProviderKey {
    const payment = [...this.state.payments.values()].find(({ id }) => id === paymentId);
    if (payment === undefined) throw new Error(`no payment ${paymentId}`);
    return payment.key;
  }

  #booking(id: string): Booking {
    const booking = this.state.bookings.get(id);
    if (booking === undefined) throw new Error(`no booking ${id}`);
    return booking;
  }
}

function same(left: ProviderKey, right: ProviderKey | null): boolean {
  return left.externalId === right?.externalId && left.provider === right.provider;
}

function label(outcome: { readonly outcome: string; readonly reason?: string; readonly repeated?: boolean }): string {
  return [outcome.outcome, outcome.reason, outcome.repeated === true ? "again" : undefined].filter(Boolean).join(" ");
}
