import fc from "fast-check";

const minute = 60_000;

/** One thing that somebody does to the shop, by numbers: which booking is meant is found when it runs, counted from the newest. */
export type ScheduleStep =
  | {
      readonly do: "reserve";
      readonly customer: number;
      readonly what: number;
      readonly startsInMs: number;
      readonly quantity: number;
      readonly how: "hold" | "confirm" | "at_checkout" | "free";
      readonly requestId: string | null;
      /** Which of her bookings is to be replaced. */
      readonly replaces: number | null;
    }
  | {
      readonly do: "reschedule";
      readonly booking: number;
      readonly by: By;
      readonly startsInMs: number;
      readonly what: number | null;
      readonly price: "same" | "other";
    }
  | { readonly do: "preCheckout" | "receipt"; readonly booking: number; readonly id: string }
  | { readonly do: "preview"; readonly booking: number; readonly by: By }
  | { readonly do: "cancel"; readonly booking: number; readonly by: By; readonly quote: boolean }
  | { readonly do: "confirm"; readonly booking: number; readonly by: By }
  | { readonly do: "transfer"; readonly booking: number; readonly by: By; readonly to: number }
  | { readonly do: "attend"; readonly booking: number; readonly attendance: "attended" | "no_show" }
  | { readonly do: "sweep" }
  | { readonly do: "refund"; readonly answer: "refunded" | "unknown" | "retry_later" }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "join"; readonly customer: number; readonly service: number; readonly quantity: number }
  | { readonly do: "leave"; readonly entry: number }
  | { readonly do: "decline" | "accept"; readonly offer: number }
  | { readonly do: "tick" };

export type By = "owner" | "stranger" | "administrator";

const by = fc.constantFrom<By>("owner", "owner", "owner", "stranger", "administrator");
const booking = fc.constantFrom(0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 9);
const startsInMs = fc
  .constantFrom(5, 15, 30, 60, 60, 75, 120, 120, 180, 25 * 60, 26 * 60)
  .map((minutes) => minutes * minute);
const id = fc.constantFrom("1", "2", "3", "4", "5", "6");

const reserve: fc.Arbitrary<ScheduleStep> = fc.record({
  do: fc.constant("reserve" as const),
  customer: fc.nat(3),
  what: fc.nat(99),
  startsInMs,
  quantity: fc.constantFrom(1, 1, 1, 2, 3),
  how: fc.constantFrom("hold" as const, "hold" as const, "confirm" as const, "at_checkout" as const, "free" as const),
  requestId: fc.constantFrom(null, null, null, "r1", "r2"),
  replaces: fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(3) }),
});

const weighted: [number, fc.Arbitrary<ScheduleStep>][] = [
  [16, reserve],
  [
    4,
    fc.record({
      do: fc.constant("reschedule" as const),
      booking,
      by,
      startsInMs,
      what: fc.option(fc.nat(99), { freq: 2, nil: null }),
      price: fc.constantFrom("same" as const, "same" as const, "other" as const),
    }),
  ],
  [3, fc.record({ do: fc.constant("preCheckout" as const), booking, id })],
  [3, fc.record({ do: fc.constant("receipt" as const), booking, id })],
  [1, fc.record({ do: fc.constant("preview" as const), booking, by })],
  [3, fc.record({ do: fc.constant("cancel" as const), booking, by, quote: fc.boolean() })],
  [2, fc.record({ do: fc.constant("confirm" as const), booking, by })],
  [1, fc.record({ do: fc.constant("transfer" as const), booking, by, to: fc.nat(3) })],
  [
    1,
    fc.record({
      do: fc.constant("attend" as const),
      booking,
      attendance: fc.constantFrom("attended" as const, "no_show" as const),
    }),
  ],
  [1, fc.record({ do: fc.constant("sweep" as const) })],
  [
    1,
    fc.record({
      do: fc.constant("refund" as const),
      answer: fc.constantFrom("refunded" as const, "unknown" as const, "retry_later" as const),
    }),
  ],
  [
    4,
    fc.record({
      do: fc.constant("advance" as const),
      ms: fc.constantFrom(1, minute, 5 * minute, 15 * minute - 1, 15 * minute, 90 * minute),
    }),
  ],
];

const waiting: [number, fc.Arbitrary<ScheduleStep>][] = [
  [
    4,
    fc.record({
      do: fc.constant("join" as const),
      customer: fc.nat(3),
      service: fc.nat(5),
      quantity: fc.constantFrom(1, 1, 2),
    }),
  ],
  [1, fc.record({ do: fc.constant("leave" as const), entry: fc.nat(5) })],
  [1, fc.record({ do: fc.constant("decline" as const), offer: fc.nat(5) })],
  [2, fc.record({ do: fc.constant("accept" as const), offer: fc.nat(5) })],
  [2, fc.record({ do: fc.constant("tick" as const) })],
];

const oneOf = (all: [number, fc.Arbitrary<ScheduleStep>][]): fc.Arbitrary<ScheduleStep> =>
  fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Forty on average; fewer when a failure is being shortened. */
const lengths = { minLength: 1, maxLength: 79, size: "max" } as const;

export const scheduleLife: fc.Arbitrary<ScheduleStep[]> = fc.array(oneOf(weighted), lengths);
export const waitingLife: fc.Arbitrary<ScheduleStep[]> = fc.array(oneOf([...weighted, ...waiting]), lengths);
