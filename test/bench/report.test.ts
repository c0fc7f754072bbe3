import { expect, test } from "vitest";
import { type ContestantName, contestantNames } from "../../bench/contestants/contestant.ts";
import type { Round } from "../../bench/measure.ts";
import { ratiosOf, type Setting, summaryOf, unanswered } from "../../bench/report.ts";
import type { Rounds } from "../../bench/run.ts";
import { workloadNames } from "../../bench/workloads.ts";

const round = (over: Partial<Round> = {}): Round => ({
  approved: 10,
  declined: 0,
  errors: 0,
  problems: new Map(),
  retries: 0,
  elapsedMs: 1_000,
  perSecond: 10,
  p50Ms: 1,
  p99Ms: 2,
  ...over,
});
const failing = round({ approved: 0, errors: 10, perSecond: 0, problems: new Map([["no such function", 10]]) });
const beside = (six: readonly Round[]): Rounds =>
  new Map<ContestantName, readonly Round[]>([
    ["six", six],
    ["bookonce", [round(), round()]],
  ]);

test("a contestant whose calls have all failed is named, and is compared with nobody", () => {
  const results = new Map([["callers16", beside([failing, failing])]] as const);
  expect(unanswered(results)).toEqual([expect.stringMatching(/^six statements answered nothing in "/)]);
  expect(ratiosOf(results)).toEqual({});
});

test("one that answers, though not always, is compared by the rounds that it answered in", () => {
  const results = new Map([["callers16", beside([failing, round({ declined: 10, perSecond: 20 })])]] as const);
  expect(unanswered(results)).toEqual([]);
  expect(ratiosOf(results)).toEqual({ callers16_vs_six: 0.5 });
});

/** As `npm run bench -- --quick --json` would have measured it: every workload and every contestant, three rounds each. */
const setting: Setting = {
  quick: true,
  postgres: "18.1",
  node: "24.0.0",
  cores: 2,
  load: 0.25,
  prepare: true,
  pool: 16,
  resources: 10_000,
  rounds: 3,
  seconds: 0.3,
  tookSeconds: 40,
};
const everybody: Rounds = new Map(
  contestantNames.map((name, index) => [name, [1, 2, 3].map((n) => round({ perSecond: 10 * n * (index + 1) }))]),
);
const everything = new Map(workloadNames.map((name) => [name, everybody]));
const rivals = ["six", "function", "serializable"];

test("the report has the setting, the figures of every contestant in every workload, the ratios, and the burst apart", () => {
  const report = summaryOf(setting, everything);
  const { workloads, ratios, burst, ...measuredIn } = report;
  expect(measuredIn).toStrictEqual(setting);
  expect(Object.keys(workloads)).toEqual(["callers1", "callers16", "callers256", "hot16", "hot256"]);
  const figures = ["errors", "fastestRound", "lastAnswerMs", "p50Ms", "p99Ms", "perSecond", "retries", "slowestRound"];
  for (const workload of [...Object.values(workloads), burst]) {
    expect(Object.keys(workload ?? {})).toEqual([...rivals, "bookonce"]);
    for (const contestant of Object.values(workload ?? {})) {
      expect(Object.keys(contestant).toSorted()).toEqual(figures);
      expect(Object.values(contestant).every(Number.isFinite)).toBe(true);
    }
  }
  // Nothing of it is lost on the way through JSON.
  expect(JSON.parse(JSON.stringify(report))).toStrictEqual(report);
  expect(Object.keys(ratios).toSorted()).toEqual(
    rivals
      .flatMap((rival) => [
        ...workloadNames.map((name) => `${name}_vs_${rival}`),
        `latency1_vs_${rival}`,
        `hot_vs_${rival}`,
      ])
      .toSorted(),
  );
});

test("a figure is the median of the rounds, and a ratio the median of the rounds' own ratios", () => {
  const { workloads, ratios } = summaryOf(setting, everything);
  expect(workloads.callers16?.bookonce).toMatchObject({ perSecond: 80, slowestRound: 40, fastestRound: 120 });
  // In each round bookonce did four, two, and four thirds times as much as the three others.
  expect(rivals.map((rival) => ratios[`callers16_vs_${rival}`])).toEqual([4, 2, 1.33]);
  expect(rivals.map((rival) => ratios[`latency1_vs_${rival}`])).toEqual([1, 1, 1]);
  expect(rivals.map((rival) => ratios[`hot_vs_${rival}`])).toEqual(rivals.map((rival) => ratios[`hot16_vs_${rival}`]));
});

test("of a run of some workloads the report has those only, and no burst is null", () => {
  const report = summaryOf(setting, new Map([["hot16", everybody]] as const));
  expect(Object.keys(report.workloads)).toEqual(["hot16"]);
  expect(report.burst).toBeNull();
  expect(Object.keys(report.ratios).toSorted()).toEqual([
    "hot16_vs_function",
    "hot16_vs_serializable",
    "hot16_vs_six",
    "hot_vs_function",
    "hot_vs_serializable",
    "hot_vs_six",
  ]);
});
