import { z } from "zod";
import { type Bounds, boundsOf, judge, lookAt, type TimeRefusal } from "./admission.ts";
import type { Interval } from "./interval.ts";
import type { View } from "./openings.ts";
import { type AdmissionRules, ruleShape } from "./rules.ts";
import { milliseconds, parse } from "./schema.ts";

/** Asks about one time, in epoch milliseconds, at a `now`. */
export type Admitter = (time: Interval, now: number) => TimeRefusal | null;

const input = z.strictObject(ruleShape);

// A stretch of this length is looked at once, with so much more that a time which begins in it lies in it.
const stretch = 7 * 24 * milliseconds.hour;
const longest = 24 * milliseconds.hour;
const rememberedStretches = 10;

/**
 * {@link admitTime} for those who ask about many times: the rules are checked once, and what the clock allows and when the place is open is
 * worked out once for all times of a week. It decides by the same function. The times are not checked: start before end.
 */
export function admitter(given: AdmissionRules): Admitter {
  const rules = parse("admitTime", input, given);
  const stretches = new Map<number, readonly View[]>();
  let bounds: Bounds | null = null;

  const viewsOf = ({ start, end }: Interval): readonly View[] => {
    if (end - start > longest) return lookAt(rules, start, end);
    const number = Math.floor(start / stretch);
    const known = stretches.get(number);
    if (known !== undefined) return known;
    const views = lookAt(rules, number * stretch, (number + 1) * stretch + longest);
    if (stretches.size >= rememberedStretches) stretches.clear();
    stretches.set(number, views);
    return views;
  };

  return (time, now) => {
    if (bounds?.now !== now) bounds = boundsOf(now, rules);
    return judge(time, rules, bounds, viewsOf(time));
  };
}
