import type { FakeUser } from "bookonce/testing";
import { expect, test } from "vitest";
import { choose, openDay, order, timesOn, told } from "../../support/bot-buyer.ts";
import { type BotShop, booked, purse } from "../../support/bot-shop.ts";

/** Somebody else was faster: nobody is charged for it, and everybody is shown what is free. */
export function taken({ buyer, bookingsOf }: BotShop): void {
  test("two press Pay for one time: one is charged, the other refused before it and shown free times (B17)", async () => {
    const people = [buyer(), buyer()];
    await Promise.all(people.map((person) => order(person)));
    const outcomes = await Promise.all(people.map((person) => person.pay()));
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["paid", "rejected"]);
    const lost = outcomes.findIndex(({ outcome }) => outcome === "rejected");
    const loser = people[lost] as FakeUser;
    expect(outcomes[lost]).toMatchObject({ message: "This time has just been taken. Please choose another one." });
    expect(await loser.stars()).toBe(purse);

    const offer = await told(loser, /has just been taken\. .* You were not charged/);
    expect(timesOn(offer)).not.toHaveLength(0);
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
