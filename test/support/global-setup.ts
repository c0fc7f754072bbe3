import type { TestProject } from "vitest/node";
import { startPostgres } from "../../scripts/postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server that all test files share; each file clones a database of its own from a template. */
    postgresUrl: string;
  }
}

/** One PostgreSQL for the whole run, with a migrated template database (made by the first file that asks for it). */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres();
  project.provide("postgresUrl", postgres.url);
  return () => postgres.stop();
}
