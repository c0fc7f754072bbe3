import type { ChatMessage, FakeUser } from "bookonce/testing";

/** Real time, for slow machines: nobody waits for it when all is well. */
export const patient = { timeout: 60_000 };

/** Sends a command and waits for what the bot says to it. */
export async function ask(person: FakeUser, text: string, answer: RegExp, wait = patient): Promise<ChatMessage> {
  const sent = await person.send(text);
  return person.chat.waitFor((message) => answer.test(message.text), { ...wait, after: sent });
}

/** The times of a day; 0 is tomorrow. Working from ten, the second day and later ones are more than 24 hours ahead. */
export async function openDay(person: FakeUser, day = 1, wait = patient): Promise<ChatMessage> {
  const days = await ask(person, "/start", /Choose a day/, wait);
  const button = days.buttons.flat()[day];
  if (button?.data === undefined) throw new Error(`there is no day ${day}`);
  await person.press(button.data, { on: days });
  return person.chat.waitFor((message) => /Choose when|everything is taken/.test(message.text), {
    ...wait,
    after: days,
  });
}

/** The free times of a screen, as the `callback_data` of their buttons. */
export function timesOn(screen: ChatMessage): string[] {
  return screen.buttons.flat().flatMap(({ data }) => (data?.startsWith("time:") === true ? [data] : []));
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
