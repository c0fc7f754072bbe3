import type { ChatMessage, FakeUser } from "bookonce/testing";

/** Real time, for slow machines: nobody waits for it when all is well. */
export const patient = { timeout: 60_000 };

/** Sends a command and waits for what the bot says to it. */
export async function ask(person: FakeUser, text: string, answer: RegExp, wait = patient): Promise<ChatMessage> {
  const sent = await person.send(text);
  return person.chat.waitFor((message) => answer.test(message.text), { ...wait, after: sent });
}

/** A day of the consultant's calendar, as buttons name it; 0 is tomorrow. */
export function dayAhead(day: number): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone: "Asia/Tashkent" }).format(Date.now() + (day + 1) * 86_400_000);
}

/**
 * The times of a day; 0 is tomorrow. Working from ten, the second day and later ones are more than 24 hours ahead. A day that is sold out is
 * not offered: then the screen of the days is what comes.
 */
export async function openDay(person: FakeUser, day = 1, wait = patient): Promise<ChatMessage> {
  const days = await ask(person, "/start", /Choose a day/, wait);
  const data = buttonsOf(days, `day:${dayAhead(day)}`)[0];
  if (data === undefined) return days;
  await person.press(data, { on: days });
  return person.chat.waitFor((message) => /Choose when|nothing is free/.test(message.text), {
    ...wait,
    after: days,
  });
}

/** An instant of such a day, by the consultant's clock. */
export function timeAhead(day: number, clock: string): Date {
  return new Date(`${dayAhead(day)}T${clock}:00+05:00`);
}

/** Presses a button that no screen has: one of long ago, or one that somebody made up. */
export async function pressForged(person: FakeUser, data: string, on: ChatMessage): Promise<void> {
  await person.press(data, { on: { ...on, buttons: [[{ text: "forged", data }]] } });
}

/** The free times of a screen, as the `callback_data` of their buttons. */
export function timesOn(screen: ChatMessage): string[] {
  return buttonsOf(screen, "time:");
}

/** What the buttons of a screen ask for, of those that begin so. */
export function buttonsOf(screen: ChatMessage, prefix: string): string[] {
  return screen.buttons.flat().flatMap(({ data }) => (data?.startsWith(prefix) === true ? [data] : []));
}

/** Presses a time, by its number on the screen or by its button's data, and waits for the invoice. */
export async function choose(person: FakeUser, screen: ChatMessage, time: number | string = 0): Promise<ChatMessage> {
  const data = typeof time === "string" ? time : timesOn(screen)[time];
  if (data === undefined) throw new Error(`the screen has no time ${time}`);
  const last = await person.chat.lastFromBot();
  await person.press(data, { on: screen });
  return person.chat.waitFor((message) => message.invoice !== undefined, { ...patient, after: last });
}

/** From /start to an invoice for the first free time of the day. */
export async function order(person: FakeUser, day = 1): Promise<ChatMessage> {
  return choose(person, await openDay(person, day));
}

/** Waits for words that come after a message. */
export function told(person: FakeUser, words: RegExp, after?: ChatMessage): Promise<ChatMessage> {
  return person.chat.waitFor((message) => words.test(message.text), { ...patient, after });
}

/** Everything that the bot has said with these words. */
export async function saidTo(person: FakeUser, words: RegExp): Promise<string[]> {
  const messages = await person.chat.messages();
  return messages.filter(({ from, text }) => from === "bot" && words.test(text)).map(({ text }) => text);
}
