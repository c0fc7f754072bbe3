import type { Command } from "commander";
import type { Session } from "../session.ts";
import { dim, green } from "../text.ts";

export function addSchemaCommands(program: Command, session: Session): void {
  program
    .command("migrate")
    .description("create or update bookonce's tables; safe to run again")
    .action(async () => {
      const bookonce = await session.connect();
      session.print(await bookonce.migrate(), ({ applied }) =>
        applied.length === 0
          ? dim("Everything was up to date.")
          : applied.map((name) => `${green("applied")} ${name}`).join("\n"),
      );
    });

  program
    .command("sql")
    .description("print the SQL that migrate would run, for a migration tool of your own; needs no database")
    .action(() => session.print({ sql: session.offline().migrationSql() }, ({ sql }) => sql));
}
