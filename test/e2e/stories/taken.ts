import { expect, test } from "vitest";
import { ask, choose, openDay, order, saidTo, timesOn, told } from "../../support/bot-buyer.ts";
import { type BotShop, booked, purse } from "../../support/bot-shop.ts";

/** "These times are free now:", each with its day and whose time it is. */
const labelled = /^\w+, \w+ \d{1,2}, \d\d:\d\d, local time, Tashkent$/;

/** Somebody else was faster: nobody is charged for it, and everybody is shown what is free. */
export function taken({ buyer, bookingsOf }: BotShop): void {
  test("B17 two press Pay for one time: the winner is told when, how long and how to change it; the other, that it was taken, and what is free", async () => {
    const [first, second] = [buyer(), buyer()];
    const people = [first, second];
    await Promise.all(people.map((person) => order(person)));
    const outcomes = await Promise.all(people.map((person) => person.pay()));
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["paid", "rejected"]);
    const lost = outcomes.findIndex(({ outcome }) => outcome === "rejected");
    const [loser, winner] = lost === 0 ? [first, second] : [second, first];
    expect(outcomes[lost]).toMatchObject({ message: "This time has just been taken. Please choose another one." });
    expect(await loser.stars()).toBe(purse);

    const { text: news } = await told(winner, booked);
    expect(news).toMatch(/^You are booked: \w+, \w+ \d{1,2}, \d\d:\d\d, local time, Tashkent/);
    expect(news).toMatch(/, 60 minutes\./);
    expect(news).toMatch(/To move or cancel: \/bookings$/);
    const list = await ask(winner, "/bookings", /^Your bookings/);
    expect(list.buttons[0]?.map(({ text }) => text)).toEqual(["Move 1", "Cancel 1"]);

    const offer = await told(
      loser,
      /, local time, Tashkent:\nThis time has just been taken\. .* You were not charged\./,
    );
    expect(timesOn(offer)).toHaveLength(6);
    expect(offer.buttons.flat().map(({ text }) => text)).toEqual([
      ...Array(6).fill(expect.stringMatching(labelled)),
      "All days",
    ]);
    expect(await saidTo(loser, booked)).toEqual([]);
    const invoice = await choose(loser, offer);
    expect(await loser.pay(invoice)).toMatchObject({ outcome: "paid" });
    await told(loser, booked, invoice);
  });

  test.each([
    ["ru", "Это время только что заняли. Выберите другое."],
    ["uz", "Bu vaqt hozirgina band qilindi. Boshqa vaqtni tanlang."],
  ])("a buyer whose language is %s reads the refusal in it", async (language, words) => {
    const [winner, loser] = [buyer(), buyer(language)];
    await Promise.all([order(winner), order(loser)]);
    expect(await winner.pay()).toMatchObject({ outcome: "paid" });
    expect(await loser.pay()).toEqual({ outcome: "rejected", message: words });
  });

  test("a button of an old screen asks, and is told what is free now (B55)", async () => {
    const [alice, bob] = [buyer(), buyer()];
    const [old, current] = [await openDay(alice), await openDay(bob)];
    const time = timesOn(old)[0] ?? "";
    const invoice = await choose(bob, current, time);
    expect(await bob.pay(invoice)).toMatchObject({ outcome: "paid" });
    await told(bob, booked);
    await alice.press(time, { on: old });
    const offer = await told(alice, /just been taken/, old);
    expect(timesOn(offer)).not.toHaveLength(0);
    expect(timesOn(offer)).not.toContain(time);
    expect(await bookingsOf(alice, "pending")).toBe(0);
  });
}
