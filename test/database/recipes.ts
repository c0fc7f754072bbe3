import type { QueryClient } from "bookonce";
import { sql } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import type { TransactionSql } from "postgres";

// As docs/transactions.md gives them to people with other query builders.

export function drizzleClient(tx: Pick<NodePgDatabase, "execute">): QueryClient {
  return {
    async query(text, values = []) {
      const parts = text
        .split(/\$(\d+)/)
        .map((part, at) => (at % 2 === 1 ? sql`${values[Number(part) - 1]}` : sql.raw(part)));
      const { rows } = await tx.execute(sql.join(parts));
      return { rows };
    },
  };
}

export function postgresClient(tx: TransactionSql): QueryClient {
  return { query: async (text, values) => ({ rows: await tx.unsafe(text, values) }) };
}
