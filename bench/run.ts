import type { Contestant, ContestantName } from "./contestants/contestant.ts";
import { measure, type Round } from "./measure.ts";
import type { BenchDatabase } from "./seed.ts";
import { seedFor, type WorkloadName, workloads } from "./workloads.ts";

export interface RunOptions {
  readonly rounds: number;
  readonly seconds: number;
  /** No further round begins after this instant (performance.now); the first is always run. */
  readonly until: number;
  readonly onRound: (workload: WorkloadName, contestant: ContestantName, round: Round) => void;
}

/** The rounds of one workload, by contestant: round n of one was measured next to round n of the others. */
export type Rounds = ReadonlyMap<ContestantName, readonly Round[]>;

/**
 * One workload, round by round. Within a round the contestants take turns, and every round begins with another one: what the machine
 * and the server do meanwhile (checkpoints, autovacuum, neighbours) falls on all of them, and so does the growth of the tables.
 */
export async function run(
  database: BenchDatabase,
  contestants: readonly Contestant[],
  name: WorkloadName,
  { rounds, seconds, until, onRound }: RunOptions,
): Promise<Rounds> {
  const workload = workloads[name];
  const results = new Map<ContestantName, Round[]>(contestants.map((contestant) => [contestant.name, []]));
  for (let round = 0; round < rounds && (round === 0 || performance.now() < until); round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const contestant = contestants[(round + turn) % contestants.length];
      if (contestant === undefined) continue;
      const earlier = results.get(contestant.name) ?? [];
      const account = `${name} ${contestant.name} ${round}`;
      const count = workload.once ? workload.callers : wanted(workload.callers, seconds, earlier);
      const questions = await seedFor(database, workload, account, count);
      const measured = await measure(contestant, questions, {
        callers: workload.callers,
        seconds: workload.once ? 60 : seconds,
      });
      await database.check(account, measured);
      earlier.push(measured);
      onRound(name, contestant.name, measured);
    }
  }
  return results;
}

/** Connections are opened, statements planned and code compiled before anything counts. */
export async function warmUp(
  database: BenchDatabase,
  contestants: readonly Contestant[],
  seconds: number,
): Promise<void> {
  for (const contestant of contestants) {
    for (const callers of [256, 16, 1]) {
      const account = `warm-up ${contestant.name} ${callers}`;
      await measure(contestant, await database.seedMany(account, 1_500), { callers, seconds });
    }
  }
}

/** Enough questions that nobody runs out of them; one who does is measured over the time that they took. */
function wanted(callers: number, seconds: number, earlier: readonly Round[]): number {
  const guess = callers === 1 ? 1_500 : callers <= 16 ? 5_000 : 9_000;
  const rate = earlier.length === 0 ? guess : 1.5 * Math.max(...earlier.map((round) => round.perSecond));
  return Math.ceil(rate * seconds) + 2 * callers;
}
