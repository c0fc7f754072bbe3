// Writes test/store/schema.sql: what the migrations make of an empty schema. Run it after a migration was added; a test fails when
// the file and the migrations differ.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { createBookonce } from "../src/bookonce.ts";
import { pgDatabase } from "../src/database/pg.ts";
import { startPostgres } from "./postgres.ts";

export const dumpFile: URL = new URL("../test/store/schema.sql", import.meta.url);

const schema = "bookonce_dump";

// Each line of the dump is a row of these, in this order. The schema's name is normalised away afterwards.
const parts = [
  `select 'table ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attnotnull then ' not null' else '' end
      || case when a.attidentity = 'a' then ' generated always as identity' else '' end
      || case when a.attgenerated = 's' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
        else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') end as line
    from pg_attribute a join pg_class c on c.oid = a.attrelid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
    order by c.relname collate "C", a.attnum`,
  // NOT NULL is a constraint of its own from PostgreSQL 18 on, and told with the column above.
  `select 'constraint ' || c.relname || '.' || k.conname || ' ' || pg_get_constraintdef(k.oid) as line
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.connamespace = $1::regnamespace and k.contype <> 'n' order by c.relname collate "C", k.conname collate "C"`,
  `select 'index ' || pg_get_indexdef(i.indexrelid) as line
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = $1::regnamespace order by c.relname collate "C"`,
  `select 'trigger ' || pg_get_triggerdef(t.oid) as line
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = $1::regnamespace and not t.tgisinternal order by t.tgname collate "C"`,
  `select 'function ' || pg_get_functiondef(p.oid) as line
    from pg_proc p where p.pronamespace = $1::regnamespace order by p.proname collate "C"`,
];

/** The dump of a freshly migrated schema, made in the database at this URL and removed again. */
export async function dumpSchema(url: string): Promise<string> {
  const database = pgDatabase({ connectionString: url, max: 1 });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await createBookonce({ database, schema }).migrate();
    const lines: string[] = [];
    for (const part of parts) {
      const { rows } = await client.query<{ line: string }>(part, [schema]);
      lines.push(
        ...rows.map(({ line }) =>
          line.trimEnd().replaceAll(`"${schema}".`, "{{schema}}.").replaceAll(`${schema}.`, "{{schema}}."),
        ),
        "",
      );
    }
    return lines.join("\n");
  } finally {
    await client.query(`drop schema if exists ${schema} cascade`);
    await client.end();
    await database.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const postgres = await startPostgres();
  writeFileSync(dumpFile, await dumpSchema(postgres.url));
  await postgres.stop();
}
