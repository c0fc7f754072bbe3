import type { BotAccount } from "./bot-account.ts";
import { badRequest, queryIsGone } from "./bot-api-error.ts";
import { chargeBuyer } from "./charges.ts";
import type { ClockTimer } from "./clock.ts";
import { Deferred, within } from "./deferred.ts";
import { toMilliseconds } from "./duration.ts";
import type { PaymentFaults } from "./faults.ts";
import { type Invoice, whyNotPayable } from "./invoices.ts";
import type { JsonObject } from "./json.ts";
import { orderDetails, type ShippingOption, shippingAddress } from "./order-details.ts";
import type { PaymentOutcome, PayOptions } from "./payment-types.ts";
import type { Person } from "./people.ts";
import { randomQueryId } from "./random-ids.ts";
import { RETENTION } from "./update-queue.ts";
import type { World } from "./world.ts";

/** Telegram waits this long for a bot's answer, counted from when it sent the query. */
const ANSWER_WITHIN = 10_000;
const FORM_LIVES = 10 * 60 * 1000;
/** How long, in real time, a held-back answer waits for the receipt to be handed over. */
const HOLD_ANSWER = 1000;

/** One press of the Pay button. */
export interface PaymentAttempt {
  readonly id: string;
  readonly bot: BotAccount;
  readonly person: Person;
  readonly invoice: Invoice;
  readonly options: PayOptions;
  readonly faults: PaymentFaults;
  readonly outcome: Deferred<PaymentOutcome>;
  /** What the buyer will pay, shipping and tip included. */
  total: number;
  shippingOption: string | undefined;
}

interface Question {
  readonly kind: "pre_checkout" | "shipping";
  readonly attempt: PaymentAttempt;
  readonly timer: ClockTimer;
  state: "open" | "answered" | "timed out";
}

/** What the answering call offers: things to do once its reply has left. */
export interface Answering {
  afterReply(action: () => void): void;
}

/** Leads a payment from the Pay button over the bot's answers to the charge. */
export class PaymentDesk {
  readonly #world: World;
  readonly #attempts = new Map<string, PaymentAttempt>();
  readonly #questions = new Map<string, Question>();

  constructor(world: World) {
    this.#world = world;
  }

  find(id: string): PaymentAttempt | undefined {
    return this.#attempts.get(id);
  }

  start(person: Person, invoice: Invoice, options: PayOptions): PaymentAttempt {
    const tip = Math.min(options.tip ?? 0, invoice.maxTip);
    const attempt: PaymentAttempt = {
      id: randomQueryId(),
      bot: this.#world.bot(invoice.bot),
      person,
      invoice,
      options,
      faults: { ...this.#world.faults.payment(person.id), ...options.faults },
      outcome: new Deferred(),
      total: invoice.total + tip,
      shippingOption: undefined,
    };
    this.#attempts.set(attempt.id, attempt);
    this.#open(attempt);
    return attempt;
  }

  async answerPreCheckout(
    bot: BotAccount,
    id: string,
    answer: { ok: boolean; message: string },
    call: Answering,
  ): Promise<true> {
    if (!answer.ok && answer.message === "") throw badRequest(`parameter "error_message" is required`);
    const question = this.#question("pre_checkout", bot, id);
    const { attempt } = question;
    if (question.state === "answered" && this.#world.settings.secondAnswer === "true") return true;
    if (question.state !== "open") throw queryIsGone();
    if (attempt.faults.ignoreAnswer) return true;
    this.#close(question);
    if (!answer.ok) attempt.outcome.resolve({ outcome: "rejected", message: answer.message });
    else if (attempt.faults.receiptBeforeAnswerReturns) {
      const handedOver = new Deferred<void>();
      this.#settle(attempt, () => handedOver.resolve());
      await within(handedOver.promise, HOLD_ANSWER);
    } else call.afterReply(() => this.#settle(attempt));
    return true;
  }

  answerShipping(
    bot: BotAccount,
    id: string,
    answer: { ok: boolean; message: string; options: readonly ShippingOption[] },
    call: Answering,
  ): true {
    if (!answer.ok && answer.message === "") throw badRequest(`parameter "error_message" is required`);
    if (answer.ok && answer.options.length === 0) throw badRequest(`parameter "shipping_options" is required`);
    const question = this.#question("shipping", bot, id);
    if (question.state !== "open") throw queryIsGone();
    this.#close(question);
    const { attempt } = question;
    if (!answer.ok) attempt.outcome.resolve({ outcome: "rejected", message: answer.message });
    else call.afterReply(() => this.#ship(attempt, answer.options));
    return true;
  }

  #open(attempt: PaymentAttempt): void {
    const { invoice, person, options, faults } = attempt;
    const obstacle = whyNotPayable(invoice, person.id);
    if (obstacle) fail(attempt, obstacle);
    else if (options.formAge && toMilliseconds(options.formAge) > FORM_LIVES) fail(attempt, "FORM_EXPIRED");
    else if (invoice.currency === "XTR" && person.stars < attempt.total) fail(attempt, "BALANCE_TOO_LOW");
    else if (faults.skipPreCheckout) this.#settle(attempt);
    else if (invoice.flexible && invoice.needs.shippingAddress) this.#askShipping(attempt);
    else this.#askPreCheckout(attempt);
  }

  #askShipping(attempt: PaymentAttempt): void {
    this.#ask(attempt, "shipping", "shipping_query", { shipping_address: shippingAddress() });
  }

  #ship(attempt: PaymentAttempt, options: readonly ShippingOption[]): void {
    const chosen = options.find((option) => option.id === attempt.options.shippingOption) ?? options[0];
    attempt.shippingOption = chosen?.id;
    attempt.total += chosen?.prices.reduce((sum, price) => sum + price.amount, 0) ?? 0;
    this.#askPreCheckout(attempt);
  }

  #askPreCheckout(attempt: PaymentAttempt): void {
    this.#ask(attempt, "pre_checkout", "pre_checkout_query", {
      currency: attempt.invoice.currency,
      total_amount: attempt.total,
      ...orderDetails(attempt.invoice.needs, attempt.person, attempt.shippingOption),
    });
  }

  #ask(attempt: PaymentAttempt, kind: Question["kind"], type: string, details: JsonObject): void {
    const { clock } = this.#world;
    const id = randomQueryId();
    const timer = clock.schedule(ANSWER_WITHIN, () => {
      question.state = "timed out";
      attempt.outcome.resolve({ outcome: "timeout" });
    });
    const question: Question = { kind, attempt, timer, state: "open" };
    this.#questions.set(id, question);
    this.#world.queue(attempt.bot, {
      type,
      content: { id, from: attempt.person.user, invoice_payload: attempt.invoice.payload, ...details },
      lane: `checkout ${attempt.person.id}`,
      expiresAt: clock.now() + RETENTION.query,
      copies: kind === "pre_checkout" && attempt.faults.preCheckoutTwice ? 2 : 1,
    });
  }

  #question(kind: Question["kind"], bot: BotAccount, id: string): Question {
    const question = this.#questions.get(id);
    if (question?.kind !== kind || question.attempt.bot !== bot) throw queryIsGone();
    return question;
  }

  #close(question: Question): void {
    question.state = "answered";
    question.timer.cancel();
  }

  /** The bot has approved: now the money moves, or does not. */
  #settle(attempt: PaymentAttempt, handedOver?: () => void): void {
    const { neverCharge, chargeDelay } = attempt.faults;
    const charge = (): void => this.#charge(attempt, handedOver);
    if (neverCharge) fail(attempt, "PAYMENT_FAILED");
    else if (chargeDelay) this.#world.clock.schedule(toMilliseconds(chargeDelay), charge);
    else charge();
  }

  #charge(attempt: PaymentAttempt, handedOver?: () => void): void {
    const { invoice, person, faults } = attempt;
    const charges = faults.charges ?? 1;
    const obstacle = whyNotPayable(invoice, person.id);
    const tooPoor = invoice.currency === "XTR" && person.stars < attempt.total * charges;
    if (obstacle || tooPoor) {
      fail(attempt, obstacle ?? "BALANCE_TOO_LOW");
      return;
    }
    let first: string | undefined;
    for (let n = 0; n < charges; n++) {
      const chargeId = chargeBuyer(this.#world, attempt, { handedOver });
      first ??= chargeId;
    }
    if (first === undefined || faults.clientSeesFailure) fail(attempt, "PAYMENT_FAILED");
    else attempt.outcome.resolve({ outcome: "paid", chargeId: first });
  }
}

function fail(attempt: PaymentAttempt, reason: Extract<PaymentOutcome, { outcome: "failed" }>["reason"]): void {
  attempt.outcome.resolve({ outcome: "failed", reason });
}
