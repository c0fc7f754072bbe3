import fc from "fast-check";
import { wishes } from "./schedule-shop.ts";
import {
  type By,
  type Edge,
  joining,
  oneOf,
  reserving,
  type ScheduleStep,
  startsInMs,
  steps,
  stepsOfTheLine,
  type Weighted,
} from "./schedule-steps.ts";

// Chance alone seldom pays for a booking, waits for the very end of a term and then cancels. So a life is made of single steps and of
// short stories, in which what comes next is about what came before.
const minute = 60_000;
type Step = fc.Arbitrary<ScheduleStep>;

const inMinutes = (...all: number[]) => fc.constantFrom(...all).map((minutes) => minutes * minute);
/** A wish for one of these services, or for one of these resources first. */
const wish = (...names: string[]) =>
  fc.constantFrom(
    ...wishes.flatMap(({ service, resources }, index) =>
      names.includes(service ?? String(resources?.[0])) ? [index] : [],
    ),
  );

const place = (over: Partial<typeof reserving> = {}): Step =>
  fc.record({
    ...reserving,
    quantity: fc.constantFrom(1, 1, 2),
    requestId: fc.constant(null),
    replaces: fc.constant(null),
    like: fc.constant(null),
    ...over,
  });
const held = { how: fc.constant("hold" as const) };
const confirmed = { how: fc.constant("confirm" as const) };
const far = { startsInMs: inMinutes(75, 90, 120, 150, 180, 25 * 60) };
const near = { startsInMs: inMinutes(15, 30, 45, 60, 75, 90) };
const wantsReminders = { customer: fc.constantFrom(0, 1, 3) };
const paid = wish("duo", "cut", "anna", "boris", "masters");
const rival = place({ like: fc.constant(0) });

/** About the newest booking that stands, by its owner. */
const newest = { booking: fc.constant(0), among: fc.constant("standing" as const) };
const owner = { ...newest, by: fc.constant<By>("owner") };
const own = { ...newest, id: fc.constant(null) };
const reach = (...all: Edge[]): Step =>
  fc.record({
    do: fc.constant("reach" as const),
    ...newest,
    what: fc.constantFrom(...all),
    offsetMs: fc.constantFrom(-1, 0, 0, 1),
  });
const oneCharge = fc.record({ do: fc.constant("receipt" as const), ...newest, id: fc.constant("1") });
const receipt = fc.record({ do: fc.constant("receipt" as const), ...own });
const lateReceipt = fc.record({ do: fc.constant("receipt" as const), ...own, among: fc.constant("all" as const) });
const preCheckout = fc.record({ do: fc.constant("preCheckout" as const), ...own });
const confirm = fc.record({ do: fc.constant("confirm" as const), ...owner });
const cancel = fc.record({ do: fc.constant("cancel" as const), ...owner, quote: fc.boolean() });
const give = fc.record({ do: fc.constant("transfer" as const), ...owner, to: fc.nat(3) });
const move = fc.record({
  do: fc.constant("reschedule" as const),
  ...owner,
  startsInMs,
  what: fc.constant(null),
  price: fc.constant("same" as const),
});
const attend = fc.record({
  do: fc.constant("attend" as const),
  ...newest,
  attendance: fc.constantFrom("attended" as const, "no_show" as const),
});
const aMinute = fc.constant({ do: "advance" as const, ms: minute });
const sweep = fc.constant({ do: "sweep" as const });
const remind = fc.constant({ do: "remind" as const });
const deliver = fc.constant({ do: "deliver" as const });

const several = (times: number, step: Step): Step[] => Array.from({ length: times }, () => step);

const stories: readonly (readonly Step[])[] = [
  // Paid, and then cancelled on either side of a term.
  ...Array.from({ length: 3 }, () => [
    place({ ...held, ...far, what: paid, quantity: fc.constant(1) }),
    receipt,
    reach(30 * minute, 60 * minute, 120 * minute),
    cancel,
  ]),
  [place({ ...held, what: wish("duo", "cut", "anna") }), receipt, fc.oneof(attend, reach("start"), sweep), cancel],
  // The end of a hold, and what is decided there.
  [place(held), reach("hold"), fc.oneof(rival, receipt, confirm, move, preCheckout), rival],
  [place(held), aMinute, preCheckout, reach("hold"), fc.oneof(receipt, rival), receipt],
  [place({ how: fc.constant("free" as const) }), reach("hold"), fc.oneof(confirm, rival), rival],
  // An invoice, and what becomes of its payment.
  [
    place({ how: fc.constant("at_checkout" as const) }),
    fc.oneof(preCheckout, rival),
    fc.oneof(receipt, cancel),
    receipt,
  ],
  [place({ ...held, what: paid }), fc.oneof(cancel, reach("hold")), lateReceipt],
  [place({ ...held, what: paid }), oneCharge, place({ ...held, what: paid }), oneCharge],
  // The start.
  [
    place({ how: fc.constantFrom("confirm", "at_checkout") }),
    reach("start"),
    fc.oneof(rival, move, preCheckout, attend),
  ],
  // Reminded, or not any more.
  [
    place({ ...confirmed, ...far, ...wantsReminders }),
    reach(60 * minute),
    remind,
    fc.oneof(cancel, move, give, attend, sweep),
    deliver,
    remind,
  ],
  [
    place({ ...confirmed, ...far, ...wantsReminders }),
    reach(60 * minute),
    remind,
    aMinute,
    move,
    reach(60 * minute),
    remind,
    deliver,
  ],
  [place({ ...confirmed, ...far, ...wantsReminders }), fc.oneof(cancel, move), reach(60 * minute), remind],
  // Many for the same, or for what is close to it.
  [...several(4, place({ what: wish("hall"), quantity: fc.constantFrom(1, 2, 2, 3), ...near })), move],
  [...several(5, place({ what: wish("daily"), quantity: fc.constant(1), ...confirmed })), move],
  [place({ what: wish("yoga", "choir") }), rival, rival, rival],
  several(4, place({ customer: fc.constant(2), ...held })),
  [
    place({ what: wish("anna", "boris", "duo"), ...confirmed }),
    place({ what: wish("masters", "crew", "cut"), ...far }),
    aMinute,
    place({ what: wish("masters", "crew", "cut"), ...far }),
  ],
];

const join = fc.record(joining);
const joinLike = fc.record({
  ...joining,
  lengthMs: inMinutes(90, 210),
  like: fc.constant(0),
  requestId: fc.constant(null),
});
const tick = fc.constant({ do: "tick" as const });
const newestOffer = { offer: fc.constant(0) };
const accept = fc.record({ do: fc.constant("accept" as const), ...newestOffer });
const decline = fc.record({ do: fc.constant("decline" as const), ...newestOffer });
const leave = fc.record({ do: fc.constant("leave" as const), entry: fc.nat(2), by: fc.constant<By>("owner") });

/** The second from the end: of two who have just joined, the one before the other. */
const leaveFirst = fc.record({
  do: fc.constant("leave" as const),
  entry: fc.constant(1),
  by: fc.constant<By>("owner"),
});

const storiesOfTheLine: readonly (readonly Step[])[] = [
  // Offered, and taken, passed on or let lapse.
  [join, tick, fc.oneof(accept, decline, leave, reach("hold")), tick, accept],
  [join, join, sweep, reach("hold"), fc.oneof(accept, sweep, tick), tick],
  // A place is given back while somebody waits for it.
  [
    place({ what: wish("daily", "cut", "visit", "duo", "yoga"), ...confirmed, ...far }),
    joinLike,
    fc.oneof(joinLike, join),
    fc.oneof(cancel, move),
    fc.oneof(decline, leaveFirst, reach("hold"), accept),
    tick,
    accept,
  ],
  // Who is first in line is offered it, and leaves.
  [
    place({ what: wish("daily", "cut", "visit", "duo", "yoga"), ...confirmed, ...far }),
    joinLike,
    joinLike,
    cancel,
    leaveFirst,
    accept,
  ],
];

function pieceOf(all: readonly Weighted[], told: readonly (readonly Step[])[]): fc.Arbitrary<ScheduleStep[]> {
  const single = oneOf(all).map((step) => [step]);
  const story = fc.oneof(...told.map((parts) => fc.tuple(...parts)));
  return fc.oneof({ weight: 5, arbitrary: single }, { weight: 2, arbitrary: story });
}

/** Forty steps, always. A failing life shrinks by pieces that become nothing, which are hardly ever drawn as such. */
function fortySteps(piece: fc.Arbitrary<ScheduleStep[]>): fc.Arbitrary<ScheduleStep[]> {
  return fc
    .array(fc.option(piece, { nil: [], freq: 1_000 }), { minLength: 40, maxLength: 40, size: "max" })
    .map((pieces) => pieces.flat().slice(0, 40));
}

export const scheduleLife: fc.Arbitrary<ScheduleStep[]> = fortySteps(pieceOf(steps, stories));
export const waitingLife: fc.Arbitrary<ScheduleStep[]> = fortySteps(
  pieceOf([...steps, ...stepsOfTheLine], [...stories, ...Array.from({ length: 4 }, () => storiesOfTheLine).flat()]),
);
