import type { Bookonce, ReserveSlotInput, ReserveSlotOutcome } from "bookonce";
import { soon, unique } from "./fixtures.ts";

/** Asks for a place of any customer, for an hour unless told otherwise. */
export function ask(shop: Pick<Bookonce, "reserveSlot">, over: Partial<ReserveSlotInput>): Promise<ReserveSlotOutcome> {
  const length = over.service === undefined ? { duration: { minutes: 60 } } : {};
  return shop.reserveSlot({ customer: unique("customer"), start: soon, ...length, ...over });
}
