import type { InputProblem } from "../core/error.ts";
import type { Want } from "../core/model.ts";
import type { Money } from "../core/money.ts";
import { invalidInput } from "./input.ts";

// What the columns hold: a claim's places are an integer, and an amount crosses as a JavaScript number.
const mostPlaces = 2 ** 31 - 1;
const mostMoney = Number.MAX_SAFE_INTEGER;

/** What a party of that size takes and costs. */
interface Party {
  readonly wants: readonly Want[];
  readonly price: Money | null;
  readonly quantity: number;
}

/** The price of so many. */
export function timesPrice(price: Money | null, quantity: number): Money | null {
  return price === null ? null : { ...price, amount: price.amount * quantity };
}

/** So many places of each. */
export function timesWants(wants: readonly Want[], quantity: number): readonly Want[] {
  return wants.map((want) => ({ ...want, quantity: want.quantity * quantity }));
}

/** Whether its places and its price can be stored at all: each factor is small enough, and a product may not be. */
export function canBeCounted(party: Party): boolean {
  return problemsOf(party).length === 0;
}

/** Said at the door: in the database it would be an error that sends a whole batch back. */
export function expectCountable(verb: string, party: Party): void {
  const problems = problemsOf(party);
  if (problems.length > 0) throw invalidInput(verb, problems);
}

function problemsOf({ wants, price, quantity }: Party): InputProblem[] {
  const places = wants
    .filter((want) => want.quantity * quantity > mostPlaces)
    .map((want) => `is too many: ${quantity} times ${want.quantity} places of ${want.resource}`);
  const cost =
    price === null || price.amount * quantity <= mostMoney
      ? []
      : [`is too many: ${quantity} times ${price.amount} ${price.currency}`];
  return [...places, ...cost].map((message) => ({ path: "quantity", message }));
}
