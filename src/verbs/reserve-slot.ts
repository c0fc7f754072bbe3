import { createHash } from "node:crypto";
import { z } from "zod";
import type { Money } from "../core/money.ts";
import { reserveSlot as decide, type ReserveOutcome, type ReserveSlot } from "../core/reserve-slot.ts";
import { keys } from "../store/keys.ts";
import {
  type CallOptions,
  type Duration,
  data,
  identifier,
  instant,
  longDuration,
  longest,
  money,
  parseInput,
  text,
} from "./input.ts";
import { command, type Runner, unlessUnavailable } from "./runner.ts";
import { type BookingView, viewBooking } from "./views.ts";

/** What `reserveSlot` takes. */
export interface ReserveSlotInput {
  /** Your name for the customer, such as `telegramCustomer(ctx.from.id)`. */
  readonly customer: string;
  /** Who may pay. Default: the customer. `"anyone"`: whoever has the invoice. */
  readonly payer?: string;
  /** Ids of the resources wanted, all or none. */
  readonly resources: readonly string[];
  /** A `Date`, or ISO 8601 text with an offset. */
  readonly start: Date | string;
  /** Either the end or the duration. The interval is half-open: touching bookings do not collide (B2). */
  readonly end?: Date | string;
  readonly duration?: Duration;
  /** In minor units of the currency (whole Stars for `XTR`). Without a price the booking is free. */
  readonly price?: Money;
  /**
   * `"now"` (default): the slot is held from now on. `"at_checkout"`: nothing is claimed before the payment is about to be made, so
   * that several people may hold an invoice for one slot and the first to press Pay gets it.
   */
  readonly claim?: "now" | "at_checkout";
  /** For a free booking: confirm it at once instead of holding it. */
  readonly confirm?: boolean;
  /** How long the hold lasts. Default: policy `hold`. */
  readonly hold?: Duration;
  /** An idempotency key of yours: the same request again returns the same booking, other content is refused (B8). */
  readonly requestId?: string;
  /** What is booked, for people. */
  readonly title?: string;
  /** Your own data, returned untouched: at most 16 KiB of plain JSON. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Who does it, for the history. Default: the customer. */
  readonly actor?: string;
}

/**
 * What `reserveSlot` answers.
 *
 * - `reserved`: made now. `existing`: the same intention or request id was known; unchanged, not extended, its price still due.
 * - `refused`, by `reason`: `slot_taken` (somebody has it), `in_past`, `unknown_resource` (unknown or switched off),
 *   `too_many_holds` and `hold_too_long` (policies), `idempotency_conflict` (the request id is known with other content),
 *   `busy` (no answer in time; try again).
 */
export type ReserveSlotOutcome =
  | { readonly outcome: "reserved" | "existing"; readonly booking: BookingView }
  | { readonly outcome: "refused"; readonly reason: "slot_taken" | "unknown_resource"; readonly resource: string }
  | { readonly outcome: "refused"; readonly reason: "too_many_holds"; readonly limit: number }
  | { readonly outcome: "refused"; readonly reason: "hold_too_long"; readonly limitMs: number }
  | { readonly outcome: "refused"; readonly reason: "in_past" | "idempotency_conflict" }
  | { readonly outcome: "refused"; readonly reason: "busy"; readonly retryable: true };

const schema = z
  .strictObject({
    customer: identifier,
    payer: identifier.optional(),
    resources: z
      .array(identifier, "must be a list of resource ids")
      .min(1, "must name a resource")
      .max(20, "must name at most 20 resources")
      .refine((ids) => new Set(ids).size === ids.length, "must name each resource once")
      .transform((ids) => [...ids].sort()),
    start: instant,
    end: instant.optional(),
    duration: longDuration.optional(),
    price: money.optional(),
    claim: z.enum(["now", "at_checkout"]).default("now"),
    confirm: z.boolean().default(false),
    hold: longDuration.optional(),
    requestId: identifier.optional(),
    title: text(200).optional(),
    data: data.default({}),
    actor: identifier.optional(),
  })
  .refine((input) => (input.end === undefined) !== (input.duration === undefined), {
    path: ["end"],
    message: "give either end or duration",
  })
  .refine((input) => input.end === undefined || input.end > input.start, {
    path: ["end"],
    message: "must be after the start",
  })
  .refine((input) => input.end === undefined || input.end - input.start <= longest.ms, {
    path: ["end"],
    message: longest.message,
  })
  .refine((input) => !input.confirm || input.price === undefined, {
    path: ["confirm"],
    message: "a booking with a price is confirmed by its payment",
  })
  .refine((input) => input.claim === "now" || input.price !== undefined, {
    path: ["claim"],
    message: "a free booking has no checkout to claim at",
  });

const defaultBudgetMs = 10_000;

export async function reserveSlot(
  runner: Runner,
  input: ReserveSlotInput,
  options: CallOptions = {},
): Promise<ReserveSlotOutcome> {
  const wanted = toCommand(parseInput("reserveSlot", schema, input));
  const busy = { outcome: "refused", reason: "busy", retryable: true } as const;
  const needed = keys({
    customers: [wanted.customer],
    requests: wanted.requestId === null ? [] : [{ customer: wanted.customer, requestId: wanted.requestId }],
    windows: wanted.resources.map((resource) => ({ resource, ...wanted.interval })),
  });
  return runner
    .run(
      command(needed, (state, context) => decide(state, wanted, context), view),
      options,
      defaultBudgetMs,
    )
    .catch(unlessUnavailable(runner, busy));
}

function toCommand(input: z.output<typeof schema>): ReserveSlot {
  const { customer, resources, start, price = null, claim, confirm, hold = null, title = null } = input;
  const payer = input.payer === undefined ? customer : input.payer === "anyone" ? null : input.payer;
  const end = input.end ?? start + (input.duration ?? 0);
  const content = { payer, resources, start, end, price, claim, confirm, hold };
  return {
    customer,
    payer,
    resources,
    interval: { start, end },
    price,
    claim,
    confirm,
    holdMs: hold,
    requestId: input.requestId ?? null,
    requestDigest: createHash("sha256").update(JSON.stringify(content)).digest("base64url"),
    title,
    data: input.data,
    actor: input.actor ?? customer,
  };
}

function view(outcome: ReserveOutcome, now: number): ReserveSlotOutcome {
  return outcome.outcome === "refused" ? outcome : { ...outcome, booking: viewBooking(outcome.booking, now) };
}
