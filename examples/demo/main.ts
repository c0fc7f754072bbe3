import { Command, InvalidArgumentError } from "commander";
import { lateInvoice, oneSlot, twiceDelivered } from "./acts.ts";
import { countUp, printAudit } from "./report.ts";
import { openStage } from "./stage.ts";
import { Timeline } from "./timeline.ts";

const options = new Command("demo")
  .description("One slot, two buyers, one booking: the real bot against a fake Telegram, on a PostgreSQL of its own.")
  .option("--buyers <number>", "how many press Pay at the same moment", wholeNumber, 2)
  .option("--json", "print the counts as one JSON object in the last line", false)
  .option("--keep", "leave PostgreSQL running, to look at the tables", false)
  .parse()
  .opts<{ buyers: number; json: boolean; keep: boolean }>();

const timeline = new Timeline();
await using stage = await openStage(timeline, { keep: options.keep });

const cast = await oneSlot(stage, timeline, options.buyers);
await lateInvoice(stage, timeline, cast);
await twiceDelivered(stage, timeline, cast);

const counts = await countUp(stage);
const ok = await printAudit(stage, timeline, counts);
if (options.keep) await stage.waitForInterrupt();
if (options.json) console.log(JSON.stringify(counts));
process.exitCode = ok ? 0 : 1;

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 2 || number > 1000) {
    throw new InvalidArgumentError("a whole number from 2 to 1000");
  }
  return number;
}
