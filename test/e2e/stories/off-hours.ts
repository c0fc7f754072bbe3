import { expect, test } from "vitest";
import { choose, dayAhead, openDay, pressForged, timeAhead, timesOn, told } from "../../support/bot-buyer.ts";
import { type BotShop, booked } from "../../support/bot-shop.ts";

const closed = /There are no bookings at this time\. Please choose another one\./;

/** Times that are not offered, asked for by buttons that no screen shows: forged ones, and those of long ago. */
export function offHours({ world, buyer }: BotShop): void {
  /** Everything that is written when somebody asks for a time. */
  const written = async (): Promise<unknown> => {
    const { rows } = await world().pool.query(`select
      (select count(*) from bookonce.bookings) as bookings,
      (select count(*) from bookonce.claims) as claims,
      (select count(*) from bookonce.events where type = 'booking_reserved') as reservations`);
    return rows[0];
  };

  test.each([
    ["off the grid", () => timeAhead(2, "10:17"), closed],
    ["outside the hours", () => timeAhead(2, "03:00"), closed],
    ["running past closing", () => timeAhead(2, "17:30"), closed],
    ["beyond the horizon", () => timeAhead(40, "10:00"), /Bookings are not open for this day yet/],
    ["of another age", () => new Date("2999-12-31T23:59Z"), /Bookings are not open for this day yet/],
    ["in the past", () => timeAhead(-3, "10:00"), /This time has already begun/],
  ])("B16 a button for a time %s is refused in plain words, with times that are free", async (_, at, words) => {
    const alice = buyer();
    const screen = await openDay(alice, 2);
    const before = await written();
    await pressForged(alice, `time:${at().toISOString()}`, screen);
    const refusal = await told(alice, words, screen);
    expect(refusal.text).toMatch(/, local time, Tashkent:\n.*\nThese times are free now:$/);
    expect(timesOn(refusal)).toHaveLength(6);
    expect(await written()).toEqual(before);
    expect((await alice.chat.messages()).filter(({ invoice }) => invoice !== undefined)).toEqual([]);
  });

  test.each(["time:soon", "time:", "time:2027-13-45T99:99Z", "time:9999-12-31T23:59Z"])(
    "B16 a button that names no time, %j, is refused in plain words, with times that are free",
    async (data) => {
      const alice = buyer();
      const screen = await openDay(alice, 2);
      const before = await written();
      await pressForged(alice, data, screen);
      expect(timesOn(await told(alice, closed, screen))).toHaveLength(6);
      expect(await written()).toEqual(before);
    },
  );

  test.each([
    ["that no calendar has", "2027-13-45"],
    ["beyond the horizon", dayAhead(40)],
  ])("B16 a button for a day %s is answered that nothing is free, and leads back to the days", async (_, day) => {
    const alice = buyer();
    const screen = await openDay(alice, 2);
    await pressForged(alice, `day:${day}`, screen);
    const answer = await told(alice, /nothing is free\. Choose another day/, screen);
    expect(answer.buttons.flat().map((button) => button.data)).toEqual(["days"]);
  });

  test("B1 what is offered instead of a refused time can be bought at once", async () => {
    const alice = buyer();
    const screen = await openDay(alice, 2);
    await pressForged(alice, `time:${timeAhead(2, "10:17").toISOString()}`, screen);
    const invoice = await choose(alice, await told(alice, closed, screen), 5);
    expect(await alice.pay(invoice)).toMatchObject({ outcome: "paid" });
    await told(alice, booked, invoice);
  });

  test("B17 a refusal is in the language of whoever asked, as far as the library speaks it", async () => {
    const boris = buyer("ru");
    const screen = await openDay(boris, 2);
    await pressForged(boris, `time:${timeAhead(2, "10:17").toISOString()}`, screen);
    await told(boris, /10:17, местное время, Ташкент:\nВ это время записи нет\. Выберите другое\./, screen);
  });
}
