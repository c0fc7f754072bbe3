import {
  createTelegram,
  fetchApi,
  grammyApi,
  grammyMiddleware,
  mergeTexts,
  starsRefunder,
  type Telegram,
  telegrafApi,
  telegrafMiddleware,
  telegramWebhook,
} from "bookonce/telegram";
import { describe, expect, test } from "vitest";
import { type Anything, NUL } from "../../support/malformed.ts";

// O6: what a bot is wired up with is looked at when it is, not when the first payment comes.
const nothing = async () => {
  throw new Error("not to be called");
};
const bookonce: Anything = { decidePreCheckout: nothing, confirmPayment: nothing, voidApproval: nothing };
const api: Anything = { call: nothing };
const base = { bookonce, api, botId: 77 };
const make = (over: object) => createTelegram({ ...base, ...over } as Anything);
const telegram: Telegram = createTelegram(base);
const token = "123456:ABC-def";
const on = <Options>(call: (telegram: Telegram, options: Anything) => Options, options: unknown) =>
  call(telegram, options);

const wirings: readonly (readonly [problem: string, call: () => unknown, path: string])[] = [
  ["createTelegram: nothing", () => createTelegram(undefined as Anything), "input"],
  ["createTelegram: no bookonce", () => make({ bookonce: undefined }), "bookonce"],
  ["createTelegram: a bookonce that is a promise", () => make({ bookonce: Promise.resolve(bookonce) }), "bookonce"],
  ["createTelegram: no api", () => make({ api: null }), "api"],
  ["createTelegram: an api that is the framework's", () => make({ api: { raw: {} } }), "api"],
  ["createTelegram: an empty language", () => make({ language: "" }), "language"],
  ["createTelegram: a language of null", () => make({ language: null }), "language"],
  ["createTelegram: deadlines of null", () => make({ deadlines: null }), "deadlines"],
  ["createTelegram: a deadline of NaN", () => make({ deadlines: { decideMs: Number.NaN } }), "deadlines.decideMs"],
  [
    "createTelegram: an endless deadline",
    () => make({ deadlines: { recordMs: Number.POSITIVE_INFINITY } }),
    "deadlines.recordMs",
  ],
  ["createTelegram: a negative deadline", () => make({ deadlines: { answerMs: -1 } }), "deadlines.answerMs"],
  ["createTelegram: deadlines beyond Telegram's own", () => make({ deadlines: { decideMs: 7_000 } }), "deadlines"],
  ["createTelegram: an onError that is text", () => make({ onError: "log" }), "onError"],
  ["createTelegram: an onExternalRefund of null", () => make({ onExternalRefund: null }), "onExternalRefund"],
  ["createTelegram: a hook that is misspelt", () => make({ onExternalRefunds: nothing }), "input"],
  ["createTelegram: texts of null", () => make({ texts: null }), "texts"],
  ["mergeTexts: a language of null", () => mergeTexts({ en: null } as Anything), "en"],
  ["mergeTexts: reasons that are a text", () => mergeTexts({ en: { reasons: "no" } } as Anything), "en"],
  ["starsRefunder: no api", () => starsRefunder(undefined as Anything), "input"],
  ["starsRefunder: options of null", () => starsRefunder(api, null as Anything), "input"],
  ["starsRefunder: a bot of null", () => starsRefunder(api, { botId: null } as Anything), "botId"],
  ["starsRefunder: a bot that is misspelt", () => starsRefunder(api, { bot: 77 } as Anything), "input"],
  ["fetchApi: nothing", () => fetchApi(undefined as Anything), "input"],
  ["fetchApi: no token", () => fetchApi({} as Anything), "token"],
  ["fetchApi: a token with NUL", () => fetchApi({ token: `${token}${NUL}` }), "token"],
  ["fetchApi: an address that is none", () => fetchApi({ token, apiRoot: "api.telegram.org" }), "apiRoot"],
  ["fetchApi: a fetch that is none", () => fetchApi({ token, fetch: {} } as Anything), "fetch"],
  ["fetchApi: a test that is text", () => fetchApi({ token, test: "no" } as Anything), "test"],
  ["grammyApi: nothing", () => grammyApi(undefined as Anything), "input"],
  ["grammyApi: the bot in place of its api", () => grammyApi({ api: {} } as Anything), "input"],
  ["telegrafApi: the bot in place of its telegram", () => telegrafApi({ telegram: {} } as Anything), "input"],
  ["telegramWebhook: options of null", () => on(telegramWebhook, null), "input"],
  // Texts such as "undefined" and "null" would be secrets that anybody can guess.
  ["telegramWebhook: no secret", () => on(telegramWebhook, {}), "secretToken"],
  ["telegramWebhook: a secret of null", () => on(telegramWebhook, { secretToken: null }), "secretToken"],
  [
    "telegramWebhook: a wait of NaN",
    () => on(telegramWebhook, { secretToken: "s", retryAfterSeconds: Number.NaN }),
    "retryAfterSeconds",
  ],
  ["telegramWebhook: a next that is none", () => on(telegramWebhook, { secretToken: "s", next: {} }), "next"],
  ["telegramWebhook: no telegram", () => telegramWebhook(undefined as Anything, { secretToken: "s" }), "input"],
  ["grammyMiddleware: options of null", () => on(grammyMiddleware, null), "input"],
  ["grammyMiddleware: a delivery that is misspelt", () => on(grammyMiddleware, { delivery: "webhok" }), "delivery"],
  ["grammyMiddleware: a signal that is none", () => on(grammyMiddleware, { signal: {} }), "signal"],
  ["telegrafMiddleware: an onHandled that is none", () => on(telegrafMiddleware, { onHandled: true }), "onHandled"],
  ["telegrafMiddleware: no telegram", () => telegrafMiddleware({} as Anything), "input"],
];

describe("O6: refused when the bot is wired up", () => {
  test.each(wirings)("%s", (_, call, path) => {
    const problems = expect.arrayContaining([expect.objectContaining({ path })]);
    expect(call).toThrow(expect.objectContaining({ name: "BookonceError", code: "invalid_input", problems }));
  });

  test("a token that is refused is not in the message", () => {
    const secret = "1234567890:not-a-token!";
    expect(() => fetchApi({ token: secret })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining(secret) }),
    );
  });
});

const calls: readonly (readonly [problem: string, call: () => Promise<unknown>, path: string])[] = [
  ["handleUpdate: options of null", () => telegram.handleUpdate({}, null as Anything), "input"],
  [
    "handleUpdate: a patience that is misspelt",
    () => telegram.handleUpdate({}, { patience: "forever" } as Anything),
    "patience",
  ],
  ["handleUpdate: a signal that is none", () => telegram.handleUpdate({}, { signal: {} } as Anything), "signal"],
  ["reconcile: options of null", () => telegram.reconcile(null as Anything), "input"],
  ["reconcile: a start that is text", () => telegram.reconcile({ fromStart: "yes" } as Anything), "fromStart"],
  ["reconcile: cursors that are none", () => telegram.reconcile({ cursors: { get: nothing } } as Anything), "cursors"],
  ["auditLedger: a signal of null", () => telegram.auditLedger({ signal: null } as Anything), "signal"],
  ["doctor: a limit of NaN", () => telegram.doctor({ pendingLimit: Number.NaN }), "pendingLimit"],
  ["doctor: an unknown key", () => telegram.doctor({ limit: 5 } as Anything), "input"],
];

test.each(calls)("O6: refused before anything is asked or written: %s", async (_, call, path) => {
  const problems = expect.arrayContaining([expect.objectContaining({ path })]);
  await expect(call()).rejects.toMatchObject({ name: "BookonceError", code: "invalid_input", problems });
});
