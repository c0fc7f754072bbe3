import { once } from "node:events";
import { Command, InvalidArgumentError } from "commander";
import { lateInvoice, oneSlot, twiceDelivered } from "./acts.ts";
import { countUp, printAudit } from "./report.ts";
import { Cleanup, openStage, reasonOf } from "./stage.ts";
import { Timeline } from "./timeline.ts";

const options = new Command("demo")
  .description("One slot, two buyers, one booking: the real bot against a fake Telegram, on a PostgreSQL of its own.")
  .option("--buyers <number>", "how many press Pay at the same moment", wholeNumber, 2)
  .option("--json", "print the counts as one JSON object in the last line", false)
  .option("--keep", "leave PostgreSQL running, to look at the tables", false)
  .parse()
  .opts<{ buyers: number; json: boolean; keep: boolean }>();

const timeline = new Timeline();
const cleanup = new Cleanup();
const interrupted = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);

try {
  const playing = play();
  await Promise.race([playing, interrupted]);
  // Interrupted: whatever it still does fails, and nobody wants to read about it.
  playing.catch(() => undefined);
  process.exitCode ??= 130;
} catch (error) {
  timeline.bad(`The demo has failed: ${reasonOf(error)}`);
  process.exitCode = 1;
}
await cleanup.run();
process.exit();

async function play(): Promise<void> {
  const stage = await openStage(timeline, cleanup);
  const cast = await oneSlot(stage, timeline, options.buyers);
  await lateInvoice(stage, timeline, cast);
  await twiceDelivered(stage, timeline, cast);

  const counts = await countUp(stage);
  const ok = await printAudit(stage, timeline, counts);
  process.exitCode = ok ? 0 : 1;
  if (options.keep) {
    timeline.act("Look around");
    timeline.note(`PostgreSQL stays until you press Ctrl+C: psql ${stage.databaseUrl}`);
    timeline.note("The tables are in the schema bookonce; docs/race-by-hand.md shows what to try.");
    await interrupted;
  }
  if (options.json) console.log(JSON.stringify(counts));
}

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 2 || number > 1000) {
    throw new InvalidArgumentError("a whole number from 2 to 1000");
  }
  return number;
}
