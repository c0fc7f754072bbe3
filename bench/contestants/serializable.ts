import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Contestant, ContestantOptions, Question } from "./contestant.ts";
import { type BookingRow, createPool, decideOn, queryOn } from "./hand-written.ts";

/**
 * No locks: SERIALIZABLE, and the whole transaction again when PostgreSQL says that it lost. The exclusion constraint is there too, so
 * losing has three codes: serialisation failure, deadlock (two inserts that wait for each other) and exclusion violation.
 */
export function serializable(options: ContestantOptions): Contestant {
  const pool = createPool(options);
  let retries = 0;

  const attempt = async (question: Question): Promise<Answer> => {
    const client = await pool.connect();
    const query = queryOn(client, options);
    try {
      await query("begin_serializable");
      const booking = await query<BookingRow>("read", [question.token]);
      const answer = await decideOn(query, question, booking);
      await query("commit");
      return answer;
    } catch (error) {
      await query("rollback");
      throw error;
    } finally {
      client.release();
    }
  };

  return {
    name: "serializable",
    retries: () => retries,
    close: () => pool.end(),
    async decide(question) {
      const giveUpAt = performance.now() + options.patienceMs;
      for (let attempts = 0; ; attempts++) {
        try {
          return await attempt(question);
        } catch (error) {
          if (!hasLost(error) || performance.now() >= giveUpAt) throw error;
          retries += 1;
          // With jitter: those who collided must not collide again.
          await sleep(Math.random() * Math.min(2 ** attempts, 50));
        }
      }
    },
  };
}

function hasLost(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["40001", "40P01", "23P01"].includes(String(error.code));
}
