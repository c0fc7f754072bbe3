/** What a buyer's pre-checkout query says. The same for every contestant. */
export interface Question {
  /** One measured round: its rows are found again by it, and checked. */
  readonly account: string;
  readonly checkoutId: string;
  /** The invoice payload. */
  readonly token: string;
  readonly payer: string;
  readonly amount: number;
  readonly currency: string;
}

export const provider = "telegram_stars";

export const contestantNames = ["six", "function", "serializable", "bookonce"] as const;
export type ContestantName = (typeof contestantNames)[number];

export type Answer = "approved" | "declined";

/**
 * One way of deciding. Each must leave the same rows behind: the decision; and for an approval also the booking held, its claim and
 * its entry in the history. Whatever it cannot answer it rejects, and that is counted as an error.
 */
export interface Contestant {
  readonly name: ContestantName;
  decide(question: Question): Promise<Answer>;
  /** Transactions begun again so far, for those that retry. */
  retries(): number;
  close(): Promise<void>;
}

export interface ContestantOptions {
  readonly url: string;
  /** Connections of the hand-written contestants. */
  readonly pool: number;
  /** Named statements, planned once per connection, for everybody or for nobody. */
  readonly prepare: boolean;
  /** Nobody waits longer; what comes later is an error. */
  readonly patienceMs: number;
  readonly batchSize: number | undefined;
  readonly batchesInFlight: number | undefined;
}
