import { createBookonce } from "bookonce";
import { pgDatabase } from "bookonce/pg";
import { type Contestant, type ContestantOptions, provider } from "./contestant.ts";

/** The library as its users call it. */
export function viaBookonce({ url, prepare, patienceMs, batchSize, batchesInFlight }: ContestantOptions): Contestant {
  const database = pgDatabase({ connectionString: url }, { prepare });
  const bookonce = createBookonce({
    database,
    batch: {
      ...(batchSize !== undefined && { size: batchSize }),
      ...(batchesInFlight !== undefined && { inFlight: batchesInFlight }),
    },
  });
  return {
    name: "bookonce",
    retries: () => 0,
    close: () => database.close(),
    async decide({ token, ...question }) {
      const decision = await bookonce.decidePreCheckout(
        { provider, payload: token, ...question },
        { budgetMs: patienceMs },
      );
      if (decision.outcome === "not_ours") throw new Error("the seed's tokens are bookonce's own");
      // Not stored, so not an answer here.
      if (decision.outcome === "declined" && decision.reason === "unavailable") throw new Error("unavailable");
      return decision.outcome;
    },
  };
}
