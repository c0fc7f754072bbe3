import type { ChatMessage, FakeUser } from "bookonce/testing";
import { price, type Stage } from "./stage.ts";
import type { Timeline } from "./timeline.ts";

const purse = 5_000;
const shownLosers = 7;
const patient = { timeout: 30_000 };
const names = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gita", "Hugo"];

/** Who won the slot and who lost it: the two play on in the other acts. */
export interface Cast {
  readonly winner: FakeUser;
  readonly loser: FakeUser;
}

/** Act 1: everybody has an invoice for one slot and presses Pay at the same moment. */
export async function oneSlot(stage: Stage, timeline: Timeline, buyers: number): Promise<Cast> {
  timeline.act(`Act 1: one slot, ${buyers} buyers`);
  const people = Array.from({ length: buyers }, (_, index) =>
    stage.telegram.user({ firstName: names[index] ?? `Buyer ${index + 1}`, stars: purse, language_code: "en" }),
  );
  const slots = await Promise.all(people.map((person) => chooseSlot(person)));
  timeline.note(`${list(people)} chose ${slots[0]} and got an invoice. Nothing is claimed yet.`);

  timeline.note("All press Pay at the same moment.");
  const outcomes = await Promise.all(people.map(async (person) => ({ person, shown: await person.pay() })));
  const winner = outcomes.find(({ shown }) => shown.outcome === "paid")?.person;
  const losers = outcomes.filter(({ person }) => person !== winner);
  if (winner === undefined || losers[0] === undefined)
    throw new Error(`nobody was charged: ${JSON.stringify(outcomes)}`);

  const told = await winner.chat.waitFor(isBooked, patient);
  timeline.good(`${winner.firstName} was charged ${price} Stars and told: “${told.text}”`);
  for (const { person, shown } of losers.slice(0, shownLosers)) {
    const words = shown.outcome === "rejected" ? `“${shown.message}”` : JSON.stringify(shown);
    timeline.refused(`${person.firstName} was refused before any charge: ${words}`);
  }
  if (losers.length > shownLosers) timeline.refused(`… and so were ${losers.length - shownLosers} others.`);
  const loser = losers[0].person;
  const offered = await loser.chat.waitFor((message) => message.text.includes("taken"), patient);
  const times = offered.buttons.flat().map((button) => button.text);
  timeline.note(`${loser.firstName} was shown what is free instead: ${times.slice(0, 3).join(" · ")} …`);
  return { winner, loser };
}

/** Act 2: the charge of an approved invoice comes after the hold is over and the slot sold to somebody else. */
export async function lateInvoice(stage: Stage, timeline: Timeline, { winner, loser }: Cast): Promise<void> {
  timeline.act("Act 2: an old invoice is paid too late");
  const [late, prompt] = [loser.firstName, winner.firstName];
  const slot = await chooseSlot(loser);
  await chooseSlot(winner);
  const waiting = loser.pay(undefined, { faults: { chargeDelay: { minutes: 10 } } });
  await heldBy(stage, loser);
  timeline.note(
    `${late} presses Pay for ${slot}. The bot approves and keeps the slot for 5 minutes, but the charge hangs at Telegram.`,
  );

  await stage.clock.advance(6 * 60_000);
  timeline.note("Six minutes pass (the clock of the database is moved). The hold is over; no worker had to notice.");
  const before = await winner.chat.lastFromBot();
  const bought = await winner.pay();
  await winner.chat.waitFor(isBooked, { ...patient, after: before });
  timeline.good(`${prompt} presses Pay for the same slot: ${bought.outcome}. It is ${prompt}'s.`);

  await stage.telegram.clock.advance({ minutes: 10 });
  const outcome = await waiting;
  timeline.bad(
    `Now ${late}'s charge goes through after all (${outcome.outcome}): ${price} Stars for a slot that is gone.`,
  );
  await loser.chat.waitFor((message) => message.text.includes("have been returned"), patient);
  timeline.good(
    `The refund was written down with the payment, sent, and confirmed. ${late} has all ${await loser.stars()} Stars again.`,
  );
}

/** Act 3: Telegram delivers a receipt twice, to two processes. */
export async function twiceDelivered(stage: Stage, timeline: Timeline, { winner, loser }: Cast): Promise<void> {
  timeline.act("Act 3: the same receipt comes twice");
  for (const [buyer, receipt] of [
    [loser, "twice-same-update-id"],
    [winner, "twice-new-update-id"],
  ] as const) {
    const slot = await chooseSlot(buyer);
    const invoice = await buyer.chat.lastFromBot();
    const before = stage.balancer.receipts();
    await buyer.pay(undefined, { faults: { receipt } });
    await until(() => Promise.resolve(stage.balancer.receipts() >= before + 2));
    await buyer.chat.waitFor(isBooked, { ...patient, after: invoice });
    timeline.good(
      `${buyer.firstName} paid for ${slot}; the receipt came twice. One payment, one booking, one message.`,
    );
  }
}

/** /start, the second day offered, its first free time; resolves to the time's label once the invoice is there. */
async function chooseSlot(person: FakeUser): Promise<string> {
  const start = await person.send("/start");
  const days = await person.chat.waitFor((message) => message.text.includes("Choose a day"), {
    after: start,
    ...patient,
  });
  // Not the first: its times may come to an end while the play goes on.
  const day = days.buttons.flat()[1];
  if (day?.data === undefined) throw new Error("the bot offers no second day");
  await person.press(day.data, { on: days });
  const times = await person.chat.waitFor((message) => message.text.includes("Choose when"), {
    after: days,
    ...patient,
  });
  const time = times.buttons.flat()[0];
  if (time?.data === undefined) throw new Error("the bot offers no time");
  await person.press(time.data, { on: times });
  await person.chat.waitFor((message) => message.invoice !== undefined, { after: times, ...patient });
  return `${day.text}, ${time.text}`;
}

function isBooked({ text }: ChatMessage): boolean {
  return text.startsWith("You are booked");
}

async function heldBy(stage: Stage, person: FakeUser): Promise<void> {
  await until(async () => {
    const bookings = await stage.bookonce.bookings.ofCustomer(`telegram:${person.id}`);
    return bookings.some((booking) => booking.state === "held");
  });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("waited 30 seconds in vain");
}

function list(people: readonly FakeUser[]): string {
  const shown = people.slice(0, 3).map((person) => person.firstName);
  return people.length > 3 ? `${shown.join(", ")} and ${people.length - 3} others` : shown.join(" and ");
}
