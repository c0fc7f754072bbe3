import fc from "fast-check";

const minute = 60_000;

/** Which booking is meant, found when it runs: counted from the newest, of those that stand or of all there ever were. */
interface About {
  readonly booking: number;
  readonly among: "standing" | "all";
}

/** One thing that somebody does to the shop, by numbers. */
export type ScheduleStep =
  | {
      readonly do: "reserve";
      readonly customer: number;
      readonly what: number;
      /** Counted from the last quarter of an hour. */
      readonly startsInMs: number;
      readonly quantity: number;
      readonly how: "hold" | "confirm" | "at_checkout" | "free";
      readonly requestId: string | null;
      /** Which of her bookings is to be replaced. */
      readonly replaces: number | null;
      /** The place and the time of which booking are wanted, instead of what is said above. */
      readonly like: number | null;
    }
  | (About & {
      readonly do: "reschedule";
      readonly by: By;
      readonly startsInMs: number;
      readonly what: number | null;
      readonly price: "same" | "other";
    })
  | (About & { readonly do: "preCheckout"; readonly id: string | null })
  | (About & { readonly do: "receipt"; readonly id: string | null })
  | (About & { readonly do: "preview"; readonly by: By })
  | (About & { readonly do: "cancel"; readonly by: By; readonly quote: boolean })
  | (About & { readonly do: "confirm"; readonly by: By })
  | (About & { readonly do: "transfer"; readonly by: By; readonly to: number })
  | (About & { readonly do: "attend"; readonly attendance: "attended" | "no_show" })
  | { readonly do: "sweep" | "remind" | "deliver" }
  | { readonly do: "refund"; readonly answer: "refunded" | "unknown" | "retry_later" }
  | { readonly do: "advance"; readonly ms: number }
  /** The clock goes to something of a booking, or to just before or after it. */
  | (About & { readonly do: "reach"; readonly what: Edge; readonly offsetMs: number })
  | {
      readonly do: "join";
      readonly customer: number;
      readonly what: number;
      readonly quantity: number;
      /** The window, counted from the last quarter of an hour. */
      readonly fromMs: number;
      readonly lengthMs: number;
      /** The service and the time of which booking are waited for, instead of what is said above. */
      readonly like: number | null;
      readonly requestId: string | null;
    }
  | { readonly do: "leave"; readonly entry: number; readonly by: By }
  | { readonly do: "decline"; readonly offer: number }
  | { readonly do: "accept"; readonly offer: number }
  | { readonly do: "tick" };

export type By = "owner" | "stranger" | "administrator";

/** Where decisions turn: the end of a hold, the start and the end of the visit, and so long before the start. */
export type Edge = "hold" | "start" | "end" | number;

const by = fc.constantFrom<By>("owner", "owner", "owner", "owner", "stranger", "administrator");
const about = {
  booking: fc.constantFrom(0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 9),
  among: fc.constantFrom("standing" as const, "standing" as const, "standing" as const, "all" as const),
};
export const startsInMs = fc
  .constantFrom(15, 20, 30, 45, 60, 60, 75, 90, 120, 120, 180, 25 * 60, 26 * 60)
  .map((minutes) => minutes * minute);
/** Mostly one of its own. */
const id = fc.constantFrom(null, null, null, null, "1", "2", "3");
const rarely = (weight: number, max: number) =>
  fc.oneof({ weight, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(max) });

type Reserve = Extract<ScheduleStep, { do: "reserve" }>;
type Join = Extract<ScheduleStep, { do: "join" }>;

export const reserving: { readonly [Key in keyof Reserve]: fc.Arbitrary<Reserve[Key]> } = {
  do: fc.constant("reserve"),
  customer: fc.nat(3),
  what: fc.nat(99),
  startsInMs,
  quantity: fc.constantFrom(1, 1, 1, 2, 3),
  how: fc.constantFrom("hold", "hold", "hold", "confirm", "at_checkout", "free"),
  requestId: fc.constantFrom(null, null, null, null, null, null, null, null, null, "r1", "r2"),
  replaces: rarely(8, 3),
  like: rarely(2, 4),
};
const reserve = fc.record(reserving);

/** A step, and how often it is taken among the others. */
export type Weighted = readonly [number, fc.Arbitrary<ScheduleStep>];

export const steps: readonly Weighted[] = [
  [16, reserve],
  [
    5,
    fc.record({
      do: fc.constant("reschedule" as const),
      ...about,
      by,
      startsInMs,
      what: fc.option(fc.nat(99), { freq: 2, nil: null }),
      price: fc.constantFrom("same" as const, "same" as const, "same" as const, "other" as const),
    }),
  ],
  [3, fc.record({ do: fc.constant("preCheckout" as const), ...about, id })],
  [4, fc.record({ do: fc.constant("receipt" as const), ...about, id })],
  [1, fc.record({ do: fc.constant("preview" as const), ...about, by })],
  [3, fc.record({ do: fc.constant("cancel" as const), ...about, by, quote: fc.boolean() })],
  [3, fc.record({ do: fc.constant("confirm" as const), ...about, by })],
  [1, fc.record({ do: fc.constant("transfer" as const), ...about, by, to: fc.nat(3) })],
  [
    1,
    fc.record({
      do: fc.constant("attend" as const),
      ...about,
      attendance: fc.constantFrom("attended" as const, "no_show" as const),
    }),
  ],
  [1, fc.record({ do: fc.constant("sweep" as const) })],
  [3, fc.record({ do: fc.constant("remind" as const) })],
  [2, fc.record({ do: fc.constant("deliver" as const) })],
  [
    1,
    fc.record({
      do: fc.constant("refund" as const),
      answer: fc.constantFrom("refunded" as const, "unknown" as const, "retry_later" as const),
    }),
  ],
  [1, fc.record({ do: fc.constant("advance" as const), ms: fc.constantFrom(1, minute, 5 * minute, 30 * minute) })],
  [
    5,
    fc.record({
      do: fc.constant("reach" as const),
      ...about,
      what: fc.constantFrom<Edge>(
        "hold",
        "hold",
        "hold",
        "hold",
        "start",
        "end",
        30 * minute,
        60 * minute,
        60 * minute,
        60 * minute,
        120 * minute,
      ),
      offsetMs: fc.constantFrom(-1, 0, 0, 1),
    }),
  ],
];

export const joining: { readonly [Key in keyof Join]: fc.Arbitrary<Join[Key]> } = {
  do: fc.constant("join"),
  customer: fc.nat(3),
  what: fc.nat(99),
  quantity: fc.constantFrom(1, 1, 2),
  fromMs: fc.constantFrom(30, 30, 60, 90).map((minutes) => minutes * minute),
  lengthMs: fc.constantFrom(45, 90, 210, 210).map((minutes) => minutes * minute),
  like: rarely(1, 3),
  requestId: fc.constantFrom(null, null, null, null, null, "w1", "w2"),
};

export const stepsOfTheLine: readonly Weighted[] = [
  [4, fc.record(joining)],
  [1, fc.record({ do: fc.constant("leave" as const), entry: fc.nat(5), by })],
  [1, fc.record({ do: fc.constant("decline" as const), offer: fc.nat(5) })],
  [2, fc.record({ do: fc.constant("accept" as const), offer: fc.nat(5) })],
  [2, fc.record({ do: fc.constant("tick" as const) })],
];

export const oneOf = (all: readonly Weighted[]): fc.Arbitrary<ScheduleStep> =>
  fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })));
