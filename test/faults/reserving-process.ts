// Reserves and cancels the same time again and again, for the test that stops it in the middle.
import { createBookonce, isBookonceError } from "bookonce";
import { pgDatabase } from "bookonce/pg";

const [connectionString = "", schema = "", resource = "", start = ""] = process.argv.slice(2);
const database = pgDatabase({ connectionString });
const bookonce = createBookonce({ database, schema, timeouts: { idleMs: 1_000 } });
const slot = { customer: "stopped", resources: [resource], start, duration: { minutes: 60 } };
console.log("reserving");
for (;;) {
  try {
    const reserved = await bookonce.reserveSlot(slot);
    if (reserved.outcome === "refused") continue;
    await bookonce.cancel({ bookingId: reserved.booking.id, customer: "stopped" });
  } catch (error) {
    if (!isBookonceError(error)) throw error;
  }
}
