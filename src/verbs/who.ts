import type { z } from "zod";
import { identifier } from "./input.ts";

/** Who asks: the owner, who finds only her own bookings, or an administrator, who passes policies and is recorded as the actor. */
export interface Who {
  readonly customer?: string;
  readonly administrator?: string;
}

export const whoShape: { customer: z.ZodOptional<z.ZodType<string>>; administrator: z.ZodOptional<z.ZodType<string>> } =
  {
    customer: identifier.optional(),
    administrator: identifier.optional(),
  };

interface Checked {
  readonly customer?: string | undefined;
  readonly administrator?: string | undefined;
}

export const eitherOr = (who: Checked): boolean => (who.customer === undefined) !== (who.administrator === undefined);

export const eitherOrMessage: { path: string[]; message: string } = {
  path: ["customer"],
  message: "give either customer or administrator",
};

/** In the core's words: no customer means an administrator. */
export function actorOf({ customer, administrator }: Checked): { customer: string | null; actor: string } {
  return { customer: customer ?? null, actor: administrator ?? customer ?? "" };
}
