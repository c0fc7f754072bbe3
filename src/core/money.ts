/**
 * An amount of money in the minor units of its currency: whole Stars for `XTR`, tiyin for `UZS`, cents for `USD`. A safe integer;
 * never a fraction.
 */
export interface Money {
  readonly amount: number;
  /** ISO 4217, or `XTR` for Telegram Stars. */
  readonly currency: string;
}

export function sameMoney(left: Money, right: Money): boolean {
  return left.amount === right.amount && left.currency === right.currency;
}
