// Makes the refunds that are due, again and again, for the test that kills it in the middle of a call.
import { setTimeout as sleep } from "node:timers/promises";
import { createBookonce } from "bookonce";
import { pgDatabase } from "bookonce/pg";
import { fetchApi, starsRefunder } from "bookonce/telegram";

const [connectionString = "", schema = "", apiRoot = "", token = ""] = process.argv.slice(2);
const bookonce = createBookonce({ database: pgDatabase({ connectionString }), schema });
const refunder = starsRefunder(fetchApi({ token, apiRoot }));
for (;;) {
  await bookonce.refunds.run(refunder);
  await sleep(50);
}
