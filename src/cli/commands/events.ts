import type { Command } from "commander";
import type { ParkedEvent } from "../../verbs/events.ts";
import type { Session } from "../session.ts";
import { at, type Column, green, table } from "../text.ts";

const columns: readonly Column<ParkedEvent>[] = [
  ["event", ({ id }) => String(id)],
  ["type", ({ type }) => type],
  ["at", (event) => at(event.at)],
  ["booking", ({ bookingId }) => bookingId],
  ["last error", ({ lastError }) => lastError],
];

export function addEventCommands(program: Command, session: Session): void {
  const events = program.command("events").description("the outbox of notifications");

  events
    .command("parked")
    .description("events that were given up, 100 at most, with their last error")
    .action(async () => {
      const bookonce = await session.connect();
      session.print(await bookonce.events.parked(), (rows) => table(rows, columns, "No event is parked."));
    });

  events
    .command("replay <event-ids...>")
    .description("deliver events again")
    .action(async (eventIds: string[]) => {
      const bookonce = await session.connect();
      const replayed = eventIds.map(Number);
      for (const eventId of replayed) await bookonce.events.replay(eventId);
      session.print({ replayed }, () => `${green("will be delivered again")}: ${replayed.join(", ")}`);
    });
}
