import type { Contestant, ContestantOptions } from "./contestant.ts";
import { type BookingRow, createPool, decideOn, queryOn } from "./hand-written.ts";

/**
 * As people write it with node-postgres: begin, lock, check, hold, store, commit; each awaited before the next is sent. A refusal needs
 * one round trip less.
 */
export function sixStatements(options: ContestantOptions): Contestant {
  const pool = createPool(options);
  return {
    name: "six",
    retries: () => 0,
    close: () => pool.end(),
    async decide(question) {
      const client = await pool.connect();
      const query = queryOn(client, options);
      try {
        await query("begin");
        const booking = await query<BookingRow>("lock", [question.token]);
        const answer = await decideOn(query, question, booking);
        await query("commit");
        return answer;
      } catch (error) {
        await query("rollback");
        throw error;
      } finally {
        client.release();
      }
    },
  };
}
