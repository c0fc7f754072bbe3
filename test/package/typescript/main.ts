// A stranger's TypeScript project; `npm run check:package` compiles and runs it against the packed tarball.
import { type Bookonce, createBookonce, type ReserveSlotOutcome } from "bookonce";
import { type OwnedPgDatabase, type PgClient, pgDatabase } from "bookonce/pg";

const database: OwnedPgDatabase = pgDatabase({ connectionString: process.env["DATABASE_URL"] ?? "" });
const bookonce: Bookonce<PgClient> = createBookonce({ database, schema: process.env["SCHEMA"] ?? "" });

function reserve(customer: string): Promise<ReserveSlotOutcome> {
  return bookonce.reserveSlot({
    customer,
    resources: ["anna"],
    start: new Date(Date.now() + 86_400_000).toISOString().replace(/T.*/, "T10:00:00Z"),
    duration: { minutes: 60 },
    price: { amount: 500, currency: "XTR" },
  });
}

await bookonce.resources.put({ id: "anna" });
const reserved = await reserve("telegram:1");
const refused = await reserve("telegram:2");
await database.close();
const reason: string = refused.outcome === "refused" ? refused.reason : "none";
console.log(JSON.stringify({ first: reserved.outcome, second: refused.outcome, reason }));
