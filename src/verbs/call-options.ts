import { z } from "zod";
import { isCalendarError } from "../calendar/index.ts";
import { BookonceError } from "../core/error.ts";
import { type CallOptions, parseInput } from "./input.ts";
import { type Patience, patienceOf } from "./patience.ts";

/** A function, such as a handler; its own shape is TypeScript's business. */
export function aFunction<Callable>(): z.ZodType<Callable> {
  return z.custom<Callable>((value) => typeof value === "function", "must be a function");
}

export const signal: z.ZodType<AbortSignal> = z.instanceof(AbortSignal, { error: "must be an AbortSignal" });

const schema = z.strictObject({
  signal: signal.optional(),
  // Without end is a budget too: then only the signal ends the call.
  budgetMs: z
    .custom<number>((value) => typeof value === "number" && value >= 0, "must be a number of milliseconds")
    .optional(),
});

/** The options of a call, looked at before anything is done: a budget of NaN would be one that never ends, or has ended already. */
export function callOptions(verb: string, given: CallOptions | undefined): Patience {
  if (given === undefined) return {};
  const { signal, budgetMs } = parseInput(`${verb}: options`, schema, given);
  return patienceOf({ ...(signal !== undefined && { signal }), ...(budgetMs !== undefined && { budgetMs }) });
}

/** A verb whose options are checked first. What it throws is an error of ours. */
export function withOptions<Input, Outcome>(
  verb: string,
  run: (input: Input, options: Patience) => Promise<Outcome>,
): (input: Input, options?: CallOptions) => Promise<Outcome> {
  return async (input, options) => {
    try {
      return await run(input, callOptions(verb, options));
    } catch (error) {
      if (!isCalendarError(error)) throw error;
      // Inputs were looked at before, by us: what the calendar cannot understand is stored.
      const message = `${verb}: what is stored is beyond the calendar: ${error.message}`;
      throw new BookonceError("internal", message, { cause: error });
    }
  };
}
