import type { Question } from "./contestants/contestant.ts";
import type { BenchDatabase } from "./seed.ts";

export const workloadNames = ["callers1", "callers16", "callers256", "hot16", "hot256", "burst"] as const;
export type WorkloadName = (typeof workloadNames)[number];

/** What is asked, by how many at a time. */
export interface Workload {
  readonly title: string;
  readonly callers: number;
  /** Everybody wants the same resource at the same time: one is approved, and all are answered and stored. */
  readonly hot: boolean;
  /** So many questions, and each caller asks once; otherwise as many as the time allows. */
  readonly once?: boolean;
}

export const workloads: Readonly<Record<WorkloadName, Workload>> = {
  callers1: { title: "many slots, 1 caller", callers: 1, hot: false },
  callers16: { title: "many slots, 16 callers", callers: 16, hot: false },
  callers256: { title: "many slots, 256 callers", callers: 256, hot: false },
  hot16: { title: "one hot slot, 16 callers", callers: 16, hot: true },
  hot256: { title: "one hot slot, 256 callers", callers: 256, hot: true },
  burst: { title: "burst: 1 000 buyers at once on one slot", callers: 1_000, hot: true, once: true },
};

export function seedFor(
  database: BenchDatabase,
  workload: Workload,
  account: string,
  count: number,
): Promise<Question[]> {
  return workload.hot ? database.seedHot(account, count) : database.seedMany(account, count);
}
