import { createHash } from "node:crypto";
import { z } from "zod";
import type { Money } from "../core/money.ts";
import { reserveSlot as decide, type ReserveOutcome, type ReserveSlot } from "../core/reserve-slot.ts";
import {
  buffer,
  type Duration,
  data,
  identifier,
  instant,
  invalidInput,
  longDuration,
  longest,
  money,
  parseInput,
  quantities,
  text,
  uuid,
  wants,
} from "./input.ts";
import { expectCountable, timesPrice } from "./party.ts";
import { type Patience, patienceWithin } from "./patience.ts";
import { command, type Runner, unlessUnavailable } from "./runner.ts";
import type { ServiceSource, ServiceView, WantInput } from "./services.ts";
import { type TimeRefused, viewTimeRefusal } from "./time-refused.ts";
import { type BookingView, viewBooking } from "./views.ts";
import { anchorAt, askFor, lockAndRead, wantedOf } from "./wanted.ts";

/** What `reserveSlot` takes. */
export interface ReserveSlotInput {
  /** Your name for the customer, such as `telegramCustomer(ctx.from.id)`. */
  readonly customer: string;
  /** Who may pay. Default: the customer. `"anyone"`: whoever has the invoice. */
  readonly payer?: string;
  /** The service wanted: it says how long, which resources, what it costs and when it is offered. */
  readonly service?: string;
  /** Resources or pools wanted, all or none. With a service: instead of the ones it names ("Anna, not just anyone"). */
  readonly resources?: readonly WantInput[];
  /** Places wanted, of a counted resource or a group session. Default 1. */
  readonly quantity?: number;
  /** A `Date`, or ISO 8601 text with an offset. */
  readonly start: Date | string;
  /** Without a service: either the end or the duration. The interval is half-open: touching bookings do not collide (B2). */
  readonly end?: Date | string;
  readonly duration?: Duration;
  /** Without a service: time kept free before and after. */
  readonly buffers?: { readonly before?: Duration; readonly after?: Duration };
  /**
   * In minor units of the currency (whole Stars for `XTR`). Default: the service's price; without one the booking is free. `null`
   * makes it free.
   */
  readonly price?: Money | null;
  /**
   * `"now"` (default): the slot is held from now on. `"at_checkout"`: nothing is claimed before the payment is about to be made, so
   * that several people may hold an invoice for one slot and the first to press Pay gets it.
   */
  readonly claim?: "now" | "at_checkout";
  /** For a free booking: confirm it at once instead of holding it. */
  readonly confirm?: boolean;
  /** How long the hold lasts. Default: policy `hold`. */
  readonly hold?: Duration;
  /** A hold of the same customer that this one takes the place of: released in the same transaction, or kept if this is refused. */
  readonly replaces?: string;
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
 * - `refused`, by `reason`: the reasons of {@link TimeRefused}; `too_many_holds` and `hold_too_long` (policies);
 *   `idempotency_conflict` (the request id is known with other content); `unknown_booking` (the hold to be replaced is not the
 *   customer's, or no hold); `unknown_service`; `busy` (no answer in time; try again).
 */
export type ReserveSlotOutcome =
  | { readonly outcome: "reserved"; readonly booking: BookingView; readonly replaced: BookingView | null }
  | { readonly outcome: "existing"; readonly booking: BookingView }
  | ({ readonly outcome: "refused" } & TimeRefused)
  | { readonly outcome: "refused"; readonly reason: "too_many_holds"; readonly limit: number }
  | { readonly outcome: "refused"; readonly reason: "hold_too_long"; readonly limitMs: number }
  | { readonly outcome: "refused"; readonly reason: "idempotency_conflict" | "unknown_booking" | "unknown_service" }
  | { readonly outcome: "refused"; readonly reason: "busy"; readonly retryable: true };

const schema = z
  .strictObject({
    customer: identifier,
    payer: identifier.optional(),
    service: identifier.optional(),
    resources: wants.optional(),
    quantity: quantities.default(1),
    start: instant,
    end: instant.optional(),
    duration: longDuration.optional(),
    buffers: z.strictObject({ before: buffer.optional(), after: buffer.optional() }).optional(),
    price: money.nullable().optional(),
    replaces: uuid.optional(),
    claim: z.enum(["now", "at_checkout"]).default("now"),
    confirm: z.boolean().default(false),
    hold: longDuration.optional(),
    requestId: identifier.optional(),
    title: text(200).optional(),
    data: data.default({}),
    actor: identifier.optional(),
  })
  .refine((input) => input.service !== undefined || (input.end === undefined) !== (input.duration === undefined), {
    path: ["end"],
    message: "give either end or duration",
  })
  .refine((input) => input.service === undefined || (input.end ?? input.duration ?? input.buffers) === undefined, {
    path: ["service"],
    message: "the service says how long it takes and what is kept free around it",
  })
  .refine((input) => input.service !== undefined || input.resources !== undefined, {
    path: ["resources"],
    message: "name a service or the resources wanted",
  })
  .refine((input) => input.end === undefined || input.end > input.start, {
    path: ["end"],
    message: "must be after the start",
  })
  .refine((input) => input.end === undefined || input.end - input.start <= longest.ms, {
    path: ["end"],
    message: longest.message,
  });

const defaultBudgetMs = 10_000;

export async function reserveSlot(
  runner: Runner,
  services: ServiceSource,
  input: ReserveSlotInput,
  given: Patience = {},
): Promise<ReserveSlotOutcome> {
  const options = patienceWithin(given, defaultBudgetMs);
  const asked = parseInput("reserveSlot", schema, input);
  const busy = { outcome: "refused", reason: "busy", retryable: true } as const;
  try {
    const service = asked.service === undefined ? null : await services(runner, asked.service, options);
    if (asked.service !== undefined && service?.active !== true)
      return { outcome: "refused", reason: "unknown_service" };
    const wanted = toCommand(asked, service);
    const needed = lockAndRead(wanted, {
      bookingIds: wanted.replaces === null ? [] : [wanted.replaces],
      requests: wanted.requestId === null ? [] : [{ customer: wanted.customer, requestId: wanted.requestId }],
    });
    return await runner.run(
      command(needed, (state, context) => decide(state, wanted, context), view),
      options,
      defaultBudgetMs,
    );
  } catch (error) {
    return unlessUnavailable(runner, busy)(error);
  }
}

type Checked = z.output<typeof schema>;

function toCommand(input: Checked, service: ServiceView | null): ReserveSlot {
  const { customer, start, claim, confirm, hold = null, title = null, replaces = null } = input;
  const payer = input.payer === undefined ? customer : input.payer === "anyone" ? null : input.payer;
  const end = input.end ?? start + (service?.durationMs ?? input.duration ?? 0);
  const each = input.price === undefined ? (service?.price ?? null) : null;
  const wants = input.resources ?? service?.wants ?? [];
  expectCountable("reserveSlot", { wants, price: each, quantity: input.quantity });
  const price = input.price === undefined ? timesPrice(each, input.quantity) : input.price;
  refuseContradictions(price, claim, confirm);
  const asked = askFor(
    service === null ? null : { id: service.id, definition: service },
    input.resources,
    { start, end },
    input.quantity,
  );
  const buffers = service?.buffers ?? { beforeMs: input.buffers?.before ?? 0, afterMs: input.buffers?.after ?? 0 };
  const wanted = wantedOf({ ...asked, buffers }, customer);
  const content = {
    service: service?.id,
    wants: wanted.wants,
    payer,
    start,
    end,
    buffers,
    price,
    claim,
    confirm,
    hold,
  };
  return {
    ...wanted,
    payer,
    anchor: anchorAt(start, wanted.rules),
    service: service?.id ?? null,
    price,
    claim,
    confirm,
    holdMs: hold,
    replaces,
    requestId: input.requestId ?? null,
    requestDigest: createHash("sha256").update(JSON.stringify(content)).digest("base64url"),
    title: title ?? service?.name ?? null,
    data: input.data,
    actor: input.actor ?? customer,
  };
}

function refuseContradictions(price: Money | null, claim: "now" | "at_checkout", confirm: boolean): void {
  const problems = [];
  if (confirm && price !== null) {
    problems.push({ path: "confirm", message: "a booking with a price is confirmed by its payment" });
  }
  if (claim === "at_checkout" && price === null) {
    problems.push({ path: "claim", message: "a free booking has no checkout to claim at" });
  }
  if (problems.length > 0) throw invalidInput("reserveSlot", problems);
}

function view(outcome: ReserveOutcome, now: number): ReserveSlotOutcome {
  switch (outcome.outcome) {
    case "reserved":
      return {
        outcome: "reserved",
        booking: viewBooking(outcome.booking, now),
        replaced: outcome.replaced === null ? null : viewBooking(outcome.replaced, now),
      };
    case "existing":
      return { outcome: "existing", booking: viewBooking(outcome.booking, now) };
    case "refused":
      return viewRefusal(outcome);
  }
}

function viewRefusal(refused: Extract<ReserveOutcome, { outcome: "refused" }>): ReserveSlotOutcome {
  switch (refused.reason) {
    case "too_many_holds":
      return { outcome: "refused", reason: refused.reason, limit: refused.limit };
    case "hold_too_long":
      return { outcome: "refused", reason: refused.reason, limitMs: refused.limitMs };
    case "idempotency_conflict":
    case "unknown_booking":
      return { outcome: "refused", reason: refused.reason };
    default:
      return { outcome: "refused", ...viewTimeRefusal(refused) };
  }
}
