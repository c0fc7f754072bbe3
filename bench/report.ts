import pc from "picocolors";
import { type ContestantName, contestantNames } from "./contestants/contestant.ts";
import { median, type Round } from "./measure.ts";
import type { Rounds } from "./run.ts";
import { type WorkloadName, workloads } from "./workloads.ts";

/** Medians over the rounds. */
export interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly lastAnswerMs: number;
  readonly slowestRound: number;
  readonly fastestRound: number;
  readonly errors: number;
  readonly retries: number;
}

export type WorkloadFigures = Partial<Record<ContestantName, Figures>>;

const titles: Readonly<Record<ContestantName, string>> = {
  six: "six statements",
  function: "one function",
  serializable: "serializable",
  bookonce: "bookonce",
};

function figuresOf(rounds: readonly Round[]): Figures {
  const middle = (of: (round: Round) => number): number => rounded(median(rounds.map(of)));
  const rates = rounds.map((round) => round.perSecond);
  return {
    perSecond: middle((round) => round.perSecond),
    p50Ms: middle((round) => round.p50Ms),
    p99Ms: middle((round) => round.p99Ms),
    lastAnswerMs: middle((round) => round.elapsedMs),
    slowestRound: rounded(Math.min(...rates)),
    fastestRound: rounded(Math.max(...rates)),
    errors: rounds.reduce((sum, round) => sum + round.errors, 0),
    retries: rounds.reduce((sum, round) => sum + round.retries, 0),
  };
}

/** What was measured where, and how. */
export interface Setting {
  readonly quick: boolean;
  readonly postgres: string;
  readonly node: string;
  readonly cores: number;
  /** Of other programs, when it began. */
  readonly load: number;
  readonly prepare: boolean;
  readonly pool: number;
  readonly resources: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly tookSeconds: number;
}

/** All of a run, as `--json` prints it. */
export interface Summary extends Setting {
  readonly workloads: Readonly<Partial<Record<Exclude<WorkloadName, "burst">, WorkloadFigures>>>;
  readonly ratios: Readonly<Record<string, number>>;
  readonly burst: WorkloadFigures | null;
}

export function summaryOf(setting: Setting, all: ReadonlyMap<WorkloadName, Rounds>): Summary {
  const figures: Partial<Record<WorkloadName, WorkloadFigures>> = {};
  for (const [name, rounds] of all) figures[name] = workloadFigures(rounds);
  const { burst = null, ...workloads } = figures;
  return { ...setting, workloads, ratios: ratiosOf(all), burst };
}

function workloadFigures(rounds: Rounds): WorkloadFigures {
  const figures: WorkloadFigures = {};
  for (const [contestant, measured] of rounds) figures[contestant] = figuresOf(measured);
  return figures;
}

/**
 * bookonce's throughput over a rival's, or its median latency over the rival's: each round's own ratio, and the median of those. Rounds
 * that were measured side by side had the same machine, so that the ratio is steadier than either figure.
 */
export function ratiosOf(all: ReadonlyMap<WorkloadName, Rounds>): Record<string, number> {
  const ratios: Record<string, number> = {};
  for (const [name, rounds] of all) {
    for (const rival of contestantNames) {
      if (rival === "bookonce") continue;
      const throughput = ratio(rounds, rival, (round) => round.perSecond);
      if (throughput === null) continue;
      ratios[`${name}_vs_${rival}`] = throughput;
      const latency = ratio(rounds, rival, (round) => round.p50Ms);
      if (name === "callers1" && latency !== null) ratios[`latency1_vs_${rival}`] = latency;
      if (name === "hot16") ratios[`hot_vs_${rival}`] = throughput;
    }
  }
  return ratios;
}

function ratio(rounds: Rounds, rival: ContestantName, of: (round: Round) => number): number | null {
  const theirs = rounds.get(rival) ?? [];
  const pairs = (rounds.get("bookonce") ?? []).flatMap((ours, index) => {
    const their = theirs[index];
    const times = their === undefined ? Number.NaN : of(ours) / of(their);
    // Who answered nothing has no rate to compare with.
    return Number.isFinite(times) ? [times] : [];
  });
  return pairs.length === 0 ? null : Math.round(100 * median(pairs)) / 100;
}

export function table(name: WorkloadName, rounds: Rounds): string {
  const { title, once } = workloads[name];
  const cells = [
    "",
    once ? "last answer" : "decisions/s",
    "rounds",
    "p50 ms",
    "p99 ms",
    "retries",
    "errors",
    "bookonce is",
  ];
  const widths = [16, 11, 15, 9, 9, 8, 7, 12];
  const line = (row: readonly string[]): string =>
    row.map((cell, index) => (index === 0 ? cell.padEnd(16) : cell.padStart(widths[index] ?? 0))).join("  ");
  const lines = [...rounds].map(([contestant, measured]) => {
    const figures = figuresOf(measured);
    const times = contestant === "bookonce" ? null : ratio(rounds, contestant, (round) => round.perSecond);
    const row = line([
      titles[contestant],
      once ? `${figures.lastAnswerMs.toFixed(0)} ms` : figures.perSecond.toFixed(0),
      `${figures.slowestRound.toFixed(0)}–${figures.fastestRound.toFixed(0)}`,
      figures.p50Ms.toFixed(2),
      figures.p99Ms.toFixed(2),
      `${figures.retries}`,
      `${figures.errors}`,
      times === null ? "" : `${times.toFixed(2)} ×`,
    ]);
    if (figures.errors > 0) return pc.red(row);
    return contestant === "bookonce" ? pc.green(row) : row;
  });
  return [pc.bold(title), pc.dim(line(cells)), ...lines].join("\n");
}

/** Contestants that answered nothing in a workload: there is no figure of theirs, and nothing to compare with. */
export function unanswered(all: ReadonlyMap<WorkloadName, Rounds>): string[] {
  return [...all].flatMap(([name, rounds]) =>
    [...rounds]
      .filter(([, measured]) => measured.every(({ approved, declined }) => approved + declined === 0))
      .map(([contestant]) => `${titles[contestant]} answered nothing in "${workloads[name].title}"`),
  );
}

/** What went wrong, and how often. */
export function problemsOf(rounds: Rounds): string[] {
  return [...rounds].flatMap(([contestant, measured]) =>
    measured.flatMap((round) =>
      [...round.problems].map(([problem, times]) => `${titles[contestant]}: ${times} × ${problem}`),
    ),
  );
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
