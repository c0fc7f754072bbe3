import type { ChatMessage, FakeUser } from "bookonce/testing";
import { afterAll, beforeAll } from "vitest";
import { ask, order, told } from "./bot-buyer.ts";
import { type BotWorld, type Delivery, openWorld } from "./bot-world.ts";

/** The Stars that a buyer comes with. */
export const purse = 5_000;

/** Days after today that the shop sells: one more than {@link dayAhead} of the last. */
const daysAhead = 9;
const ownerId = 42;

/** What the bot says to whoever has paid. */
export const booked =
  /^You are booked: \w+, \w+ \d{1,2}, \d\d:\d\d, local time, Tashkent, 60 minutes\. To move or cancel: \/bookings$/;

/** The example bot at work, and what its buyers do again and again. */
export interface BotShop {
  /** Its world, which the tests find open. */
  world(): BotWorld;
  /** Who is told about money that needs a person. */
  owner(): FakeUser;
  /** In how many processes it works. */
  readonly processes: number;
  startAll(): Promise<unknown>;
  /** Somebody new, with a purse. */
  buyer(language?: string): FakeUser;
  buy(person: FakeUser, day?: number): Promise<{ chargeId: string; message: ChatMessage }>;
  /** How many bookings the person has in a state. */
  bookingsOf(person: FakeUser, state: string): Promise<number>;
}

/** Opens a shop before the tests of the suite that calls this, and closes it after them. */
export function openShop(delivery: Delivery, processes: number): BotShop {
  let world: BotWorld;
  let owner: FakeUser;
  beforeAll(async () => {
    world = await openWorld({ delivery, env: { OWNER_CHAT_ID: String(ownerId), DAYS_AHEAD: String(daysAhead) } });
    owner = world.telegram.user({ id: ownerId });
    await startAll();
    await ask(owner, "/start", /Choose a day/);
  }, 180_000);
  afterAll(() => world.close());

  const startAll = () => Promise.all(Array.from({ length: processes }, () => world.start()));
  const buyer = (language_code = "en"): FakeUser => world.telegram.user({ stars: purse, language_code });

  async function buy(person: FakeUser, day?: number): Promise<{ chargeId: string; message: ChatMessage }> {
    const invoice = await order(person, day);
    const outcome = await person.pay(invoice);
    if (outcome.outcome !== "paid") throw new Error(`not paid: ${JSON.stringify(outcome)}`);
    return { chargeId: outcome.chargeId, message: await told(person, booked, invoice) };
  }

  const bookingsOf = async (person: FakeUser, state: string): Promise<number> => {
    const all = await world.bookonce.bookings.ofCustomer(`telegram:${person.id}`);
    return all.filter((booking) => booking.state === state).length;
  };

  return { world: () => world, owner: () => owner, processes, startAll, buyer, buy, bookingsOf };
}
