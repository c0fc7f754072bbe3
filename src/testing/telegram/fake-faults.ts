import type { ControlPort } from "./control-types.ts";
import type { Duration } from "./duration.ts";
import type { MethodFault, PaymentFaults, Times } from "./faults.ts";

/** How often a fault happens. */
export interface HowOften {
  /** Default 1; `"always"` until {@link FakeFaults.clear}. */
  times?: Times | undefined;
}

/**
 * Things that go wrong on demand. Every fault waits for the next call or payment that it fits, in the order in which they
 * were added, and by default happens once.
 */
export class FakeFaults {
  readonly #port: ControlPort;

  constructor(port: ControlPort) {
    this.#port = port;
  }

  /** Any fault of any method; the named ones below are shorter to write. */
  async method(method: string, fault: MethodFault): Promise<void> {
    await this.#port.call("fault.add", { fault: { kind: "method", method, ...fault } });
  }

  /** 429 with `parameters.retry_after` and a `Retry-After` header. */
  async tooManyRequests(method: string, options: HowOften & { retryAfter: number }): Promise<void> {
    const { retryAfter, times } = options;
    const error = { code: 429, description: `Too Many Requests: retry after ${retryAfter}`, retryAfter };
    await this.method(method, { error, times });
  }

  /** 500. With `effect: "done"` the method has done its work nevertheless. */
  async serverError(method: string, options: HowOften & Pick<MethodFault, "effect"> = {}): Promise<void> {
    await this.method(method, { ...options, error: { code: 500, description: "Internal Server Error" } });
  }

  /** The method does its work, and the connection is cut before the reply. */
  async replyLost(method: string, options: HowOften = {}): Promise<void> {
    await this.method(method, { ...options, reply: "lost", effect: "done" });
  }

  /** The method does its work, and the reply never comes. */
  async hang(method: string, options: HowOften & Pick<MethodFault, "effect"> = {}): Promise<void> {
    await this.method(method, { effect: "done", ...options, reply: "hang" });
  }

  /** The method returns true without doing anything. */
  async ignored(method: string, options: HowOften = {}): Promise<void> {
    await this.method(method, { ...options, reply: "true" });
  }

  /** The method takes this long on the fake's clock before it starts, or with `effect: "done"` after its work. */
  async slow(method: string, delay: Duration, options: HowOften & Pick<MethodFault, "effect"> = {}): Promise<void> {
    await this.method(method, { ...options, delay });
  }

  /** `refundStarPayment` gives the Stars back and says `CHARGE_ALREADY_REFUNDED`. */
  async refundDoneButAlreadyRefunded(options: HowOften = {}): Promise<void> {
    const error = { code: 400, description: "Bad Request: CHARGE_ALREADY_REFUNDED" };
    await this.method("refundStarPayment", { ...options, error, effect: "done" });
  }

  /** What happens to the next payment, of anybody or of one person. */
  async payment(faults: PaymentFaults, options: HowOften & { user?: { id: number } | undefined } = {}): Promise<void> {
    await this.#port.call("fault.add", {
      fault: { kind: "payment", ...faults, user: options.user?.id, times: options.times },
    });
  }

  /** `getStarTransactions` gives at most this many entries, whatever `limit` says: a short page is no proof of the end. */
  async shortPages(max: number, options: HowOften = {}): Promise<void> {
    await this.#port.call("fault.add", { fault: { kind: "short_pages", max, ...options } });
  }

  /** Calls off every fault that has not happened yet. */
  async clear(): Promise<void> {
    await this.#port.call("fault.clear", {});
  }
}
