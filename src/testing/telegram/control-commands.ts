import { z } from "zod";
import type { BotAccount } from "./bot-account.ts";
import type { Chat } from "./chat.ts";
import { controlSchemas } from "./control-schemas.ts";
import type {
  BotRecord,
  CommandInput,
  CommandOutput,
  ControlCommands,
  ControlPort,
  PersonalAction,
  UserRecord,
} from "./control-types.ts";
import { within } from "./deferred.ts";
import { toMilliseconds } from "./duration.ts";
import { addForeignEntry } from "./foreign-entries.ts";
import type { Invoice } from "./invoices.ts";
import { readLedger } from "./ledger-audit.ts";
import type { Person } from "./people.ts";
import { chatOf, findButton, newestInvoice, pressButton, sendAsPerson } from "./person-actions.ts";
import { randomUpdateId } from "./random-ids.ts";
import { refundExternally } from "./refunds.ts";
import { RETENTION } from "./update-queue.ts";
import type { World } from "./world.ts";

/** How long a person looks for a button or an invoice that is not there yet, in real milliseconds. */
const PATIENCE = 5000;

/** A test asked for something impossible; over HTTP it becomes a 400. */
export class ControlError extends Error {
  override readonly name: string = "ControlError";
}

/** The commands of {@link ControlCommands}, run on a world in this process. */
export class CommandRunner implements ControlPort {
  readonly #commands: Handlers;

  constructor(world: World) {
    this.#commands = createCommands(world);
  }

  has(name: string): name is keyof ControlCommands {
    return Object.hasOwn(controlSchemas, name);
  }

  async call<K extends keyof ControlCommands>(name: K, input: CommandInput<K>): Promise<CommandOutput<K>> {
    return this.run(name, input);
  }

  /** Checks an input of unknown shape, then runs the command. */
  async run<K extends keyof ControlCommands>(name: K, input: unknown): Promise<CommandOutput<K>> {
    const parsed = controlSchemas[name].safeParse(input);
    if (!parsed.success) throw new ControlError(`${name}: ${z.prettifyError(parsed.error)}`);
    return this.#commands[name](parsed.data);
  }
}

type Handlers = {
  readonly [K in keyof ControlCommands]: (input: CommandInput<K>) => CommandOutput<K> | Promise<CommandOutput<K>>;
};

function createCommands(world: World): Handlers {
  return {
    "bot.create": (bot) => toBotRecord(world.addBot(bot)),
    "bot.list": () => world.bots().map(toBotRecord),
    "user.create": (user) => toUserRecord(world.people.add(user)),
    "user.read": ({ id }) => toUserRecord(world.people.get(id)),
    "user.give-stars": ({ id, stars }) => {
      const person = world.people.get(id);
      person.stars += stars;
      person.granted += stars;
      return toUserRecord(person);
    },
    "user.block": (input) => {
      actor(world, input).chat.blocked = input.blocked;
      return null;
    },
    "group.create": ({ title }) => ({ id: world.addGroup(title).id }),
    "chat.read": async ({ chatId, bot, afterRevision, waitMs }) => {
      if (afterRevision !== undefined) await world.chats.untilAfter(afterRevision, waitMs ?? 0);
      const messages = world.chats.find(chatId, world.bot(bot).id)?.messages ?? [];
      return { revision: world.chats.revision, messages: messages.map((each) => world.chatMessage(each)) };
    },
    "chat.send": (input) => {
      const { bot, person, chat } = actor(world, input);
      return sendAsPerson(world, bot, person, chat, input.content);
    },
    "chat.press": async (input) => {
      const { bot, person, chat } = actor(world, input);
      const pressed =
        input.on ?? (await eventually(world, input.waitMs, () => findButton(world, chat, bot, input.button)));
      if (!pressed)
        throw new ControlError(`There is no button "${input.button}" in the chat: ${describe(world, chat)}`);
      return { callbackQueryId: pressButton(world, bot, person, chat, pressed) };
    },
    "callback.answer": async ({ callbackQueryId, waitMs }) => {
      const answer = world.callbacks.find(callbackQueryId);
      return answer ? ((await within(answer.promise, waitMs)) ?? null) : null;
    },
    "payment.start": async (input) => {
      const person = world.people.get(input.userId);
      const invoice = await invoiceFor(world, input);
      if (!invoice) throw new ControlError(`There is no such invoice for ${person.firstName}.`);
      return { paymentId: world.payments.start(person, invoice, input.options).id };
    },
    "payment.outcome": async ({ paymentId, waitMs }) => {
      const attempt = world.payments.find(paymentId);
      if (!attempt) throw new ControlError(`There is no payment ${paymentId}.`);
      return (await within(attempt.outcome.promise, waitMs)) ?? null;
    },
    "subscription.renew": ({ chargeId }) => ({ chargeId: world.subscriptions.renew(chargeId) }),
    "subscription.cancel": ({ chargeId, canceled }) => {
      world.subscriptions.cancelByUser(chargeId, canceled);
      return null;
    },
    "refund.external": (refund) => {
      refundExternally(world, refund);
      return null;
    },
    "fault.add": ({ fault }) => {
      world.faults.add(fault);
      return null;
    },
    "fault.clear": () => {
      world.faults.clear();
      return null;
    },
    "clock.now": () => world.clock.now(),
    "clock.advance": async ({ by }) => {
      await world.clock.advance(toMilliseconds(by));
      return world.clock.now();
    },
    "ledger.read": ({ bot }) => readLedger(world.ledger, world.bots(), world.people.all(), bot),
    "ledger.add-foreign": (entry) => {
      const person = entry.user === undefined ? world.people.all()[0] : world.people.get(entry.user);
      const user = person?.user ?? { id: 1, is_bot: false, first_name: "Somebody" };
      return addForeignEntry(world.ledger, world.bot(entry.bot).id, entry, user, world.clock.unix());
    },
    "updates.pending": ({ bot }) =>
      world
        .bot(bot)
        .queue.waiting()
        .map((update) => update.body),
    "updates.push": ({ bot, type, content }) => {
      const expiresAt = world.clock.now() + RETENTION.message;
      return {
        updateId: world.queue(world.bot(bot), { type, content, lane: `pushed ${type}`, expiresAt })?.id ?? null,
      };
    },
    "updates.jump": ({ bot, to }) => {
      const { queue } = world.bot(bot);
      queue.jump(to ?? randomUpdateId());
      return { nextUpdateId: queue.nextId };
    },
    "calls.read": (filter) => world.calls.list(filter),
  };
}

function actor(world: World, action: PersonalAction): { bot: BotAccount; person: Person; chat: Chat } {
  const bot = world.bot(action.bot);
  const person = world.people.get(action.userId);
  return { bot, person, chat: chatOf(world, bot, person, action.chatId) };
}

async function invoiceFor(world: World, input: CommandInput<"payment.start">): Promise<Invoice | undefined> {
  const { link, messageId } = input.invoice;
  if (link !== undefined) return world.invoices.byLink(link);
  const bot = world.bot(input.bot);
  const chatId = input.chatId ?? input.userId;
  if (messageId !== undefined) return world.invoices.byMessage(bot.id, chatId, messageId);
  return eventually(world, input.waitMs, () => {
    const chat = world.chats.find(chatId, bot.id);
    return chat && newestInvoice(world, chat, bot);
  });
}

/** Looks again whenever a chat changes, for as long as the patience lasts. */
async function eventually<T>(
  world: World,
  patience: number | undefined,
  look: () => T | undefined,
): Promise<T | undefined> {
  const end = performance.now() + (patience ?? PATIENCE);
  for (;;) {
    const { revision } = world.chats;
    const found = look();
    const left = end - performance.now();
    if (found !== undefined || left <= 0) return found;
    await world.chats.untilAfter(revision, left);
  }
}

function describe(world: World, chat: Chat): string {
  const last = chat.messages.slice(-3).map((each) => world.chatMessage(each));
  return JSON.stringify(
    last.map(({ from, text, buttons }) => ({ from, text, buttons: buttons.flat().map((b) => b.text) })),
  );
}

/** A bot as tests know it. */
export function toBotRecord({ id, token, username }: BotAccount): BotRecord {
  return { id, token, username };
}

/** A person as tests know them. */
export function toUserRecord({ id, firstName, stars }: Person): UserRecord {
  return { id, firstName, stars };
}
