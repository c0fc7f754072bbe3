import { availableParallelism, loadavg } from "node:os";
import { Command, InvalidArgumentError } from "commander";
import pc from "picocolors";
import { startPostgres } from "../scripts/postgres.ts";
import { type ContestantName, contestantNames } from "./contestants/contestant.ts";
import { contestants as makers } from "./contestants/index.ts";
import { flatness } from "./flatness.ts";
import { problemsOf, summaryOf, table, unanswered } from "./report.ts";
import { type Rounds, run, warmUp } from "./run.ts";
import { createBenchDatabase } from "./seed.ts";
import { type WorkloadName, workloadNames } from "./workloads.ts";

interface Options {
  readonly quick: boolean;
  readonly json: boolean;
  readonly only: readonly string[];
  readonly seconds?: number;
  readonly rounds?: number;
  readonly pool: number;
  readonly resources: number;
  readonly prepare: boolean;
  readonly batchSize?: number;
  readonly inFlight?: number;
  readonly flatness: boolean;
}

const known: readonly string[] = [...workloadNames, ...contestantNames];

const options = new Command("bench")
  .description(
    "Pre-checkout decisions per second: bookonce beside three ways of writing them by hand, on the same PostgreSQL.",
  )
  .option("--quick", "short rounds, less data: under a minute, and noisier", false)
  .option("--json", "the last line is all figures as JSON", false)
  .option("--only <names>", `some workloads or contestants, by commas: ${known.join(", ")}`, names, [])
  .option("--seconds <n>", "length of a round", positive)
  .option("--rounds <n>", "rounds of each workload", positive)
  .option("--pool <n>", "connections of each hand-written contestant", positive, 16)
  .option("--resources <n>", "resources over which the many slots are spread", positive, 10_000)
  .option("--no-prepare", "no named statements, for anybody")
  .option("--batch-size <n>", "bookonce: commands in one transaction at most", positive)
  .option("--in-flight <n>", "bookonce: transactions in flight at most", positive)
  .option("--flatness", "instead: whether lists and claims stay as fast with a hundred times as many bookings", false)
  .parse()
  .opts<Options>();

const started = performance.now();
const [load = 0] = loadavg();
const { quick } = options;
const chosen = <Name extends string>(all: readonly Name[]): readonly Name[] => {
  const some = all.filter((name) => options.only.includes(name));
  return some.length === 0 ? all : some;
};

const postgres = await startPostgres();
try {
  await (options.flatness ? flatness(postgres.url, options) : main());
} finally {
  await postgres.stop();
}

async function main(): Promise<void> {
  // Their share of the processor is missing below, and not in equal parts: a contestant with more processes gets more of it.
  if (load > 1)
    console.log(pc.yellow(`Other programs are running here (load ${load.toFixed(1)}): figures will be low.\n`));
  const database = await createBenchDatabase(postgres.url, {
    resources: options.resources,
    history: quick ? 10_000 : 100_000,
  });
  const settings = {
    url: database.url,
    pool: options.pool,
    prepare: options.prepare,
    // Telegram takes no answer after ten seconds; a quick run cannot wait for the deadlocks of SERIALIZABLE either.
    patienceMs: quick ? 2_500 : 10_000,
    batchSize: options.batchSize,
    batchesInFlight: options.inFlight,
  };
  const contestants = chosen<ContestantName>(contestantNames).map((name) => makers[name](settings));
  const rounds = options.rounds ?? (quick ? 3 : 7);
  const seconds = options.seconds ?? (quick ? 0.3 : 2);
  const chosenWorkloads = chosen<WorkloadName>(workloadNames);
  const results = new Map<WorkloadName, Rounds>();
  try {
    // In a quick run too: after a third of a second much of the code is not compiled yet, and a decision takes 6 ms instead of 2.
    await warmUp(database, contestants, 1);
    for (const [index, name] of chosenWorkloads.entries()) {
      const until = quick ? deadline(chosenWorkloads.length - index) : Number.POSITIVE_INFINITY;
      const measured = await run(database, contestants, name, { rounds, seconds, until, onRound: progress });
      results.set(name, measured);
      console.log(`${table(name, measured)}\n`);
      for (const problem of problemsOf(measured)) console.log(pc.red(problem));
    }
  } finally {
    await Promise.all(contestants.map((contestant) => contestant.close()));
    await database.drop();
  }
  const missing = unanswered(results);
  for (const one of missing) console.error(pc.red(`${one}: this comparison is void.`));
  if (missing.length > 0) process.exitCode = 1;
  if (options.json) {
    const { prepare, pool, resources } = options;
    const tookSeconds = Math.round((performance.now() - started) / 1_000);
    const versions = { postgres: database.version, node: process.versions.node };
    const machine = { cores: availableParallelism(), load };
    const setting = { quick, ...versions, ...machine, prepare, pool, resources, rounds, seconds, tookSeconds };
    console.log(JSON.stringify(summaryOf(setting, results)));
  }
}

/** A quick run keeps its promise on a slow machine too, with fewer rounds: each workload has its share of the time that is left. */
function deadline(workloadsLeft: number): number {
  const left = started + 36_000 - performance.now();
  return performance.now() + left / workloadsLeft;
}

/** One dot a round on a terminal, so that a long run is seen to live. */
function progress(): void {
  if (process.stderr.isTTY) process.stderr.write(pc.dim("."));
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError("must be a number above 0");
  return value;
}

function names(text: string): string[] {
  const given = text.split(",").map((name) => name.trim());
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new InvalidArgumentError(`unknown: ${unknown.join(", ")}`);
  return given;
}
