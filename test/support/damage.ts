import type { TestDatabase } from "./database.ts";

/** What a hand in the tables can do as a superuser, with triggers, foreign keys and constraints off. `{}` stands for the schema. */
export async function damage(
  db: TestDatabase,
  ...statements: readonly [text: string, values?: unknown[]][]
): Promise<void> {
  const client = await db.pool.connect();
  await client.query("begin");
  await client.query("set local session_replication_role = replica");
  for (const [text, values = []] of statements) await client.query(text.replaceAll("{}", db.schema), values);
  await client.query("commit");
  client.release();
}
