import type { ProviderKey } from "../core/model.ts";
import type { Interval } from "../core/time.ts";

/** A time wanted on a resource or a pool; of a pool's members the whole day is read, for that is what a choice is made by. */
export interface Window extends Interval {
  readonly resource: string;
  readonly day: Interval;
}

/** What a command needs locked and read. The keys of a batch are those of its commands together. */
export interface Keys {
  readonly bookingIds: readonly string[];
  /** Invoice payloads. */
  readonly tokens: readonly string[];
  /** Resources of a booking that is still to be made, and the time it wants there. */
  readonly windows: readonly Window[];
  /** Customers whose bookings are counted: two requests of one customer wait for each other. */
  readonly customers: readonly string[];
  readonly requests: readonly { readonly customer: string; readonly requestId: string }[];
  readonly checkouts: readonly ProviderKey[];
  readonly payments: readonly ProviderKey[];
  readonly paymentIds: readonly string[];
  readonly refundIds: readonly string[];
  /** Entries of the waiting list, with all that was offered to them. Whoever touches one names its customer too: that lock guards it. */
  readonly entryIds: readonly string[];
  /** Customers whose entries in line are read, and the one of this request. */
  readonly waiters: readonly { readonly customer: string; readonly requestId: string | null }[];
}

export function keys(some: Partial<Keys>): Keys {
  return {
    bookingIds: [],
    tokens: [],
    windows: [],
    customers: [],
    requests: [],
    checkouts: [],
    payments: [],
    paymentIds: [],
    refundIds: [],
    entryIds: [],
    waiters: [],
    ...some,
  };
}

export function mergeKeys(all: readonly Keys[]): Keys {
  const [first, ...others] = all;
  if (first !== undefined && others.length === 0) return first;
  return {
    bookingIds: all.flatMap((one) => one.bookingIds),
    tokens: all.flatMap((one) => one.tokens),
    windows: all.flatMap((one) => one.windows),
    customers: all.flatMap((one) => one.customers),
    requests: all.flatMap((one) => one.requests),
    checkouts: all.flatMap((one) => one.checkouts),
    payments: all.flatMap((one) => one.payments),
    paymentIds: all.flatMap((one) => one.paymentIds),
    refundIds: all.flatMap((one) => one.refundIds),
    entryIds: all.flatMap((one) => one.entryIds),
    waiters: all.flatMap((one) => one.waiters),
  };
}
