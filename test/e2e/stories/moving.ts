import type { ChatMessage, FakeUser } from "bookonce/testing";
import { expect, test } from "vitest";
import {
  ask,
  buttonsOf,
  choose,
  dayAhead,
  openDay,
  pressForged,
  saidTo,
  timeAhead,
  timesOn,
  told,
} from "../../support/bot-buyer.ts";
import { type BotShop, booked, purse } from "../../support/bot-shop.ts";
import { price } from "../../support/bot-world.ts";

const moved =
  /^Your booking is moved: \w+, \w+ \d{1,2}, \d\d:\d\d, local time, Tashkent, 60 minutes\. To move or cancel: \/bookings$/;
const hour = 3_600_000;

/** A booking gets another time, by buttons; or stays where it is, and its owner hears why. */
export function moving({ world, buyer, buy }: BotShop): void {
  const bookingOf = async (person: FakeUser) => {
    const [booking] = await world().bookonce.bookings.ofCustomer(`telegram:${person.id}`);
    if (booking === undefined) throw new Error("there is no booking");
    return booking;
  };

  /** From /bookings to the times of a day for the first booking. */
  async function timesForMove(person: FakeUser, day: number): Promise<ChatMessage> {
    const list = await ask(person, "/bookings", /^Your bookings/);
    await person.press(buttonsOf(list, "move:")[0] ?? "", { on: list });
    const days = await told(person, /^To move .*\. It stays yours until you have chosen\.\nChoose a day\.$/, list);
    await person.press(buttonsOf(days, "move:").find((data) => data.endsWith(dayAhead(day))) ?? "", { on: days });
    return told(person, /Choose when/, days);
  }

  const timesToMove = (screen: ChatMessage) => buttonsOf(screen, "move:").filter((data) => /T\d\d:\d\dZ$/.test(data));

  test("B10 B17 a booking moves by buttons: told once, nothing charged again, and its old time is free", async () => {
    const [alice, bob] = [buyer(), buyer()];
    await buy(alice, 5);
    const before = await bookingOf(alice);
    const screen = await timesForMove(alice, 6);
    expect(timesToMove(screen)).toHaveLength(8);
    await alice.press(timesToMove(screen)[3] ?? "", { on: screen });
    const news = await told(alice, moved, screen);
    expect(news.text).toContain(", 13:00, local time, Tashkent");

    const after = await bookingOf(alice);
    expect(after).toMatchObject({ id: before.id, state: "confirmed", start: timeAhead(6, "13:00") });
    expect(await world().bookonce.payments.find({ bookingId: before.id })).toMatchObject([{ disposition: "booked" }]);
    expect(await alice.stars()).toBe(purse - price);
    expect(timesOn(await openDay(bob, 5))).toHaveLength(8);
    expect(timesOn(await openDay(bob, 6))).toHaveLength(7);

    // The same press again moves nothing, and is answered all the same.
    await alice.press(timesToMove(screen)[3] ?? "", { on: screen });
    await told(alice, /, 13:00, local time, Tashkent is the time of your booking already\.$/, news);
    expect(await saidTo(alice, moved)).toHaveLength(1);
  });

  test("B10 B17 a time that was taken meanwhile: the booking stays, and other times are offered for the move", async () => {
    const [alice, bob] = [buyer(), buyer()];
    await buy(alice, 5);
    const before = await bookingOf(alice);
    const screen = await timesForMove(alice, 6);
    const wanted = timesToMove(screen)[0] ?? "";
    const invoice = await choose(bob, await openDay(bob, 6));
    expect(await bob.pay(invoice)).toMatchObject({ outcome: "paid" });
    await told(bob, booked);

    await alice.press(wanted, { on: screen });
    const refusal = await told(alice, /This time has just been taken\. .* Your booking stays as it was: /, screen);
    expect(await bookingOf(alice)).toEqual(before);
    expect(timesOn(refusal)).toEqual([]);
    const others = timesToMove(refusal);
    expect(others).toHaveLength(6);
    expect(others).not.toContain(wanted);
    await alice.press(others[5] ?? "", { on: refusal });
    await told(alice, moved, refusal);
    expect((await bookingOf(alice)).start).not.toEqual(before.start);
  });

  test("B16 a booking moves to no time that is not offered, whatever the button says", async () => {
    const alice = buyer();
    const { message } = await buy(alice, 5);
    const before = await bookingOf(alice);
    for (const [time, words] of [
      [timeAhead(5, "10:17").toISOString(), /There are no bookings at this time/],
      [timeAhead(40, "10:00").toISOString(), /Bookings are not open for this day yet/],
      [timeAhead(-3, "10:00").toISOString(), /This time has already begun/],
      ["whenever", /There are no bookings at this time/],
    ] as const) {
      const last = await alice.chat.lastFromBot();
      await pressForged(alice, `move:${before.id}:${time}`, message);
      const refusal = await told(alice, words, last);
      expect(refusal.text).toContain("Your booking stays as it was: ");
      expect(timesToMove(refusal)).toHaveLength(6);
    }
    expect(await bookingOf(alice)).toEqual(before);
  });

  test("B10 nobody moves somebody else's booking, nor learns about it; nor one that was cancelled", async () => {
    const [alice, mallory] = [buyer(), buyer()];
    const { message } = await buy(alice, 5);
    const before = await bookingOf(alice);
    const own = await ask(mallory, "/start", /Choose a day/);
    const time = timeAhead(6, "17:00").toISOString();
    for (const data of [`move:${before.id}`, `move:${before.id}:${dayAhead(6)}`, `move:${before.id}:${time}`]) {
      const last = await mallory.chat.lastFromBot();
      await pressForged(mallory, data, own);
      await told(mallory, /^We do not know this booking/, last);
    }
    expect(await bookingOf(alice)).toEqual(before);

    await pressForged(alice, `cancel:${before.id}`, message);
    const cancelled = await told(alice, /^Your booking is cancelled/, message);
    let last = cancelled;
    for (const data of [`move:${before.id}`, `move:${before.id}:${dayAhead(6)}`, `move:${before.id}:${time}`]) {
      await pressForged(alice, data, message);
      last = await told(alice, /^This booking was cancelled/, last);
    }
    expect(await bookingOf(alice)).toMatchObject({ state: "cancelled", start: before.start });
  });

  test("B10 a day before the start it is too late to move, and to have the Stars back; both are said", async () => {
    const alice = buyer();
    const { message } = await buy(alice, 2);
    const before = await bookingOf(alice);
    const ahead = before.start.getTime() - Date.now() - 23 * hour;
    await world().clock.advance(ahead);
    try {
      await pressForged(alice, `move:${before.id}:${timeAhead(7, "12:00").toISOString()}`, message);
      await told(alice, /^It is too late to move or cancel this booking yourself\..* \/paysupport/, message);
      expect(await bookingOf(alice)).toEqual(before);
      await pressForged(alice, `cancel:${before.id}`, message);
      await told(alice, /^Your booking is cancelled: .*\. It was too late for a refund\.$/, message);
    } finally {
      await world().clock.advance(-ahead);
    }
  });
}
