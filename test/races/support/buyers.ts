// A process of its own that asks for its buyers, all at once, when it is told to: see thousand-buyers.test.ts.
import { createInterface } from "node:readline";
import { createBookonce } from "../../../src/bookonce.ts";
import { pgDatabase } from "../../../src/database/pg.ts";
import type { PreCheckoutInput } from "../../../src/verbs/decide-pre-checkout.ts";

export interface BuyersTask {
  readonly url: string;
  readonly schema: string;
  readonly queries: readonly PreCheckoutInput[];
}

export interface BuyersReport {
  readonly answers: Readonly<Record<string, number>>;
  readonly slowestMs: number;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const task = JSON.parse(String((await lines.next()).value)) as BuyersTask;
const database = pgDatabase({ connectionString: task.url });
const bookonce = createBookonce({ database, schema: task.schema });
await bookonce.resources.list();
process.stdout.write("ready\n");
await lines.next();

const answers: Record<string, number> = {};
let slowestMs = 0;
await Promise.all(
  task.queries.map(async (query) => {
    const begun = performance.now();
    const answer = await bookonce.decidePreCheckout(query, { budgetMs: 8_000 }).then(
      (outcome) => (outcome.outcome === "declined" ? outcome.reason : outcome.outcome),
      (error: unknown) => `error ${String(error)}`,
    );
    slowestMs = Math.max(slowestMs, performance.now() - begun);
    answers[answer] = (answers[answer] ?? 0) + 1;
  }),
);
await database.close();
const report: BuyersReport = { answers, slowestMs };
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exit(0);
