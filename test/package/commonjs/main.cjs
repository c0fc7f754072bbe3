// A stranger's CommonJS project; `npm run check:package` runs it against the packed tarball.
const { createBookonce } = require("bookonce");
const { pgDatabase } = require("bookonce/pg");

async function main() {
  const database = pgDatabase({ connectionString: process.env.DATABASE_URL });
  const bookonce = createBookonce({ database, schema: process.env.SCHEMA });
  const reserve = (customer) =>
    bookonce.reserveSlot({
      customer,
      resources: ["anna"],
      start: new Date(Date.now() + 86_400_000).toISOString().replace(/T.*/, "T10:00:00Z"),
      duration: { minutes: 60 },
      price: { amount: 500, currency: "XTR" },
    });
  await bookonce.resources.put({ id: "anna" });
  const reserved = await reserve("telegram:1");
  const refused = await reserve("telegram:2");
  await database.close();
  console.log(JSON.stringify({ first: reserved.outcome, second: refused.outcome, reason: refused.reason }));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
