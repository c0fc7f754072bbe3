import type { Duration } from "./duration.ts";

/** How often a fault happens: so many times, or until it is cleared. Default 1. */
export type Times = number | "always";

/**
 * What goes wrong with a method call. Without `effect: "done"` the method does nothing; with it the method does its work
 * first, and only its reply is replaced.
 */
export interface MethodFault {
  /** The reply is this error. */
  error?: { code: number; description: string; retryAfter?: number | undefined } | undefined;
  /** `"lost"`: the connection is cut without a reply. `"hang"`: no reply ever. `"true"`: `true`, though nothing may have happened. */
  reply?: "lost" | "hang" | "true" | undefined;
  effect?: "none" | "done" | undefined;
  /** How long the reply takes, on the fake's clock: before the work, or after it with `effect: "done"`. */
  delay?: Duration | undefined;
  times?: Times | undefined;
}

/** What goes wrong with a payment. Each part can be combined with the others. */
export interface PaymentFaults {
  /** The bot approves, and still nothing is charged; the client shows an error. */
  neverCharge?: boolean | undefined;
  /** The charge happens this long after the approval. */
  chargeDelay?: Duration | undefined;
  /** How many charges one press of Pay makes, each with its own id and receipt. Default 1. */
  charges?: number | undefined;
  /** The charge happens although the client shows an error. */
  clientSeesFailure?: boolean | undefined;
  /** `successful_payment`: never queued; handed over twice under one `update_id`; queued twice under two. */
  receipt?: "lost" | "twice-same-update-id" | "twice-new-update-id" | undefined;
  /** The receipt is queued this long after the charge. */
  receiptDelay?: Duration | undefined;
  /** `answerPreCheckoutQuery` returns only when the receipt has been handed over (or after one real second). */
  receiptBeforeAnswerReturns?: boolean | undefined;
  /** `answerPreCheckoutQuery` returns true, and Telegram acts as if it had never come. */
  ignoreAnswer?: boolean | undefined;
  /** Charged without asking the bot. */
  skipPreCheckout?: boolean | undefined;
  /** The pre-checkout query is handed over twice under one `update_id`. */
  preCheckoutTwice?: boolean | undefined;
}

/** A fault as it travels to the server. */
export type Fault =
  | ({ kind: "method"; method: string; bot?: number | undefined } & MethodFault)
  | ({ kind: "payment"; user?: number | undefined; times?: Times | undefined } & PaymentFaults)
  | { kind: "short_pages"; max: number; times?: Times | undefined };

interface Armed {
  readonly fault: Fault;
  left: number;
}

/** The faults that are waiting for their moment, first come, first served. */
export class FaultBook {
  #armed: Armed[] = [];

  add(fault: Fault): void {
    this.#armed.push({ fault, left: fault.times === "always" ? Number.POSITIVE_INFINITY : (fault.times ?? 1) });
  }

  clear(): void {
    this.#armed = [];
  }

  method(bot: number, method: string): MethodFault | undefined {
    const name = method.toLowerCase();
    const fault = this.#take(
      (each) => each.kind === "method" && each.method.toLowerCase() === name && (each.bot ?? bot) === bot,
    );
    return fault?.kind === "method" ? fault : undefined;
  }

  payment(user: number): PaymentFaults | undefined {
    const fault = this.#take((each) => each.kind === "payment" && (each.user ?? user) === user);
    return fault?.kind === "payment" ? fault : undefined;
  }

  /** The longest page that `getStarTransactions` may give now. */
  pageLimit(): number {
    const fault = this.#take((each) => each.kind === "short_pages");
    return fault?.kind === "short_pages" ? fault.max : Number.POSITIVE_INFINITY;
  }

  #take(matches: (fault: Fault) => boolean): Fault | undefined {
    const found = this.#armed.find((armed) => matches(armed.fault));
    if (!found) return undefined;
    if (--found.left <= 0) this.#armed = this.#armed.filter((armed) => armed !== found);
    return found.fault;
  }
}
