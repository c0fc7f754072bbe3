import type { Command } from "commander";
import { type Bookonce, type BookonceOptions, createBookonce } from "../bookonce.ts";
import type { OwnedPgDatabase } from "../database/pg.ts";
import { noDatabase } from "./no-database.ts";

/** What the command line touches outside itself. */
export interface Surroundings {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Who is recorded in the history when `--actor` says nothing. */
  readonly actor: string;
  readonly version: string;
}

interface GlobalOptions {
  readonly databaseUrl?: string;
  readonly schema: string;
  readonly refundsByApi: readonly string[];
  readonly json?: boolean;
}

/** One run: its options, its connection (made when a command first needs it), its output. */
export class Session {
  readonly #program: Command;
  readonly #surroundings: Surroundings;
  #database: OwnedPgDatabase | undefined;
  /** False turns the exit code into 1. */
  inOrder = true;

  constructor(program: Command, surroundings: Surroundings) {
    this.#program = program;
    this.#surroundings = surroundings;
  }

  get json(): boolean {
    return this.#options.json === true;
  }

  get actor(): string {
    return this.#surroundings.actor;
  }

  get #options(): GlobalOptions {
    return this.#program.opts<GlobalOptions>();
  }

  /** An instance on the database of the options. */
  async connect(): Promise<Bookonce> {
    const connectionString = this.#options.databaseUrl ?? this.#surroundings.env["DATABASE_URL"];
    if (connectionString === undefined || connectionString === "") {
      throw new Error("Which database? Give --database-url, or set DATABASE_URL.");
    }
    const { pgDatabase } = await loadPg();
    this.#database = pgDatabase({ connectionString, max: 2 });
    return createBookonce({
      database: this.#database,
      schema: this.#options.schema,
      providers: declared(this.#options.refundsByApi),
    });
  }

  /** An instance that can tell things about itself but reaches nothing. */
  offline(): Bookonce {
    return createBookonce({ database: noDatabase, schema: this.#options.schema });
  }

  /** Prints `value` as JSON, or as the text that `describe` makes of it. */
  print<Value>(value: Value, describe: (value: Value) => string): void {
    const text = this.json ? JSON.stringify(value, null, 2) : describe(value);
    this.#surroundings.out(text.endsWith("\n") ? text : `${text}\n`);
  }

  async close(): Promise<void> {
    await this.#database?.close();
  }
}

/** The program that the command line stands beside may have providers of its own; what is not named here is refunded by a person. */
function declared(names: readonly string[]): NonNullable<BookonceOptions["providers"]> {
  return Object.fromEntries(names.map((name) => [name, { refund: "api", partialRefund: false }]));
}

async function loadPg(): Promise<typeof import("../database/pg.ts")> {
  try {
    return await import("../database/pg.ts");
  } catch (error) {
    if (!isMissing(error, "pg")) throw error;
    throw new Error(
      "The command line talks to PostgreSQL through the package pg: run `npm install pg` beside bookonce.",
    );
  }
}

function isMissing(error: unknown, name: string): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    error.code === "ERR_MODULE_NOT_FOUND" &&
    error.message.includes(`'${name}'`)
  );
}
