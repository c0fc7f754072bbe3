// One of several processes that start at the same time, each of which migrates.
import { createBookonce } from "bookonce";
import { pgDatabase } from "bookonce/pg";

const [connectionString = "", schema = ""] = process.argv.slice(2);
const database = pgDatabase({ connectionString });
const { applied } = await createBookonce({ database, schema }).migrate();
await database.close();
console.log(JSON.stringify(applied));
