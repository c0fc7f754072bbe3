import "../../support/without-zone-data.ts";

// What the doctor finds in a process that has no zone data: `node … <url> <schema>`.
const { createBookonce } = await import("../../../src/index.ts");
const { pgDatabase } = await import("../../../src/database/pg.ts");
const [connectionString = "", schema = ""] = process.argv.slice(2);
const database = pgDatabase({ connectionString });
process.stdout.write(JSON.stringify(await createBookonce({ database, schema }).doctor()));
await database.close();
