import { Command, CommanderError } from "commander";
import { isBookonceError } from "../core/error.ts";
import { addCareCommands } from "./commands/care.ts";
import { addEventCommands } from "./commands/events.ts";
import { addLookCommands } from "./commands/look.ts";
import { addRefundCommands } from "./commands/refunds.ts";
import { addReviewCommands } from "./commands/reviews.ts";
import { addSchemaCommands } from "./commands/schema.ts";
import { Session, type Surroundings } from "./session.ts";
import { red } from "./text.ts";

/** Exit codes, for scripts: done; refused, failed or not in order; called wrongly. */
const done = 0;
const failed = 1;
const misused = 2;

/** Runs one command line and returns the exit code. Everything it touches comes in by `surroundings`. */
export async function runCli(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const program = new Command("bookonce")
    .description("Looks after the bookings, payments and refunds that bookonce keeps in PostgreSQL.")
    .version(surroundings.version, "-v, --version")
    .option("--database-url <url>", "PostgreSQL to connect to (default: the environment's DATABASE_URL)")
    .option("--schema <name>", "schema of bookonce's tables", "bookonce")
    .option(
      "--refunds-by-api <provider>",
      "a payment provider of yours whose refunds a worker makes by a call; may be given again",
      (provider: string, before: readonly string[]) => [...before, provider],
      [],
    )
    .option("--json", "print JSON for programs instead of text for people")
    .configureOutput({ writeOut: surroundings.out, writeErr: surroundings.err })
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  const session = new Session(program, surroundings);
  addSchemaCommands(program, session);
  addCareCommands(program, session);
  addLookCommands(program, session);
  addRefundCommands(program, session);
  addReviewCommands(program, session);
  addEventCommands(program, session);
  try {
    await program.parseAsync(args, { from: "user" });
    return session.inOrder ? done : failed;
  } catch (error) {
    // Commander has said what was wrong, or printed the help or the version that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? done : misused;
    report(error, session, surroundings);
    return failed;
  } finally {
    await session.close();
  }
}

function report(error: unknown, session: Session, { err }: Surroundings): void {
  const message = error instanceof Error ? error.message : String(error);
  const code = isBookonceError(error) ? error.code : null;
  if (session.json) {
    err(`${JSON.stringify({ error: { code, message } })}\n`);
    return;
  }
  err(`${red(code === null ? "error" : code)}: ${message}\n`);
  // "The database did not answer" is no help without the reason that the driver gave.
  if (error instanceof Error && error.cause instanceof Error) err(`  ${causeText(error.cause)}\n`);
  if (code === "not_migrated") err("  Run `bookonce migrate` first.\n");
}

/** Node reports a refused connection to several addresses as an AggregateError with an empty message. */
function causeText(cause: Error): string {
  if (cause.message !== "") return cause.message;
  const errors: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [];
  return errors.map(String).join("; ") || cause.name;
}
