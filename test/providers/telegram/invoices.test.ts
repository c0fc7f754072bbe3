import type { Money } from "bookonce";
import { providerInvoice, starsInvoice } from "bookonce/telegram";
import { startFakeTelegram } from "bookonce/testing";
import { Bot } from "grammy";
import { expect, onTestFinished, test } from "vitest";

const booking = (amountDue: Money | null = { amount: 500, currency: "XTR" }) => ({
  payload: "bko1_AAAAAAAAAAAAAAAAAAAAAA",
  amountDue,
});
const text = { title: "English lesson", description: "One hour with Anna" };
const stars = { booking: booking(), ...text };
const uzs = { booking: booking({ amount: 15_000_000, currency: "UZS" }), ...text, providerToken: "398:TEST:abc" };

async function bot() {
  const telegram = await startFakeTelegram();
  onTestFinished(() => telegram.close());
  const alice = telegram.user();
  const { token } = telegram.bot();
  const grammy = new Bot(token, { client: { apiRoot: telegram.url } });
  await alice.send("/start");
  return { telegram, alice, api: grammy.api.raw };
}

test("B42: Telegram takes what the builder makes, as a message and as a link", async () => {
  const { telegram, alice, api } = await bot();
  await api.sendInvoice(starsInvoice({ ...stars, chatId: alice.id }));
  expect(await api.createInvoiceLink(starsInvoice(stars))).toMatch(/^https:\/\/t\.me\//);
  await api.sendInvoice(
    providerInvoice({ ...uzs, chatId: alice.id, needName: true, needEmail: true, needPhoneNumber: true }),
  );
  await api.createInvoiceLink(
    providerInvoice({
      ...uzs,
      providerData: { receipt: { items: [] } },
      photo: { url: "https://e.com/a.jpg", width: 5 },
    }),
  );
  expect((await telegram.calls()).every(({ reply }) => reply?.ok)).toBe(true);
});

test("the exact parameters", () => {
  expect(starsInvoice({ ...stars, chatId: 42, messageThreadId: 3, label: "1 h" })).toEqual({
    title: "English lesson",
    description: "One hour with Anna",
    payload: "bko1_AAAAAAAAAAAAAAAAAAAAAA",
    currency: "XTR",
    prices: [{ label: "1 h", amount: 500 }],
    chat_id: 42,
    message_thread_id: 3,
    start_parameter: "book",
  });
  expect(providerInvoice({ ...uzs, providerData: { a: 1 }, photo: { url: "https://e.com/a.jpg" } })).toEqual({
    title: "English lesson",
    description: "One hour with Anna",
    payload: "bko1_AAAAAAAAAAAAAAAAAAAAAA",
    currency: "UZS",
    prices: [{ label: "English lesson", amount: 15_000_000 }],
    photo_url: "https://e.com/a.jpg",
    provider_token: "398:TEST:abc",
    provider_data: '{"a":1}',
  });
});

test("a forwarded invoice carries no Pay button, unless it is meant to", async () => {
  const { telegram, alice, api } = await bot();
  const bob = telegram.user({ stars: 1000 });
  await api.sendInvoice(starsInvoice({ ...stars, chatId: alice.id }));
  const own = await alice.chat.lastFromBot();
  expect(await bob.pay(own)).toEqual({ outcome: "failed", reason: "INVOICE_NOT_PAYABLE" });
  expect(starsInvoice({ ...stars, chatId: 1, startParameter: null })).not.toHaveProperty("start_parameter");
});

const problem = (make: () => unknown): string => {
  try {
    make();
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid_input" });
    return error instanceof Error ? error.message : "";
  }
  throw new Error("it was accepted");
};

test.each(["XTS", "TXR", "XRT", "xtr", "USD", ""])(
  "B46: %j instead of XTR is refused with a word that helps",
  (currency) => {
    expect(problem(() => starsInvoice({ ...stars, booking: booking({ amount: 5, currency }) }))).toMatch(
      /Stars are XTR/,
    );
  },
);

test.each(["XTS", "TXR", "XXX", "XAU", "usd", "RUR2", ""])("B46: a provider cannot charge in %j", (currency) => {
  expect(problem(() => providerInvoice({ ...uzs, booking: booking({ amount: 5, currency }) }))).toMatch(
    /is no currency of a provider/,
  );
});

test("B46: Stars times 100, Stars with a provider, and the way round", () => {
  expect(problem(() => starsInvoice({ ...stars, booking: booking({ amount: 5_000_000, currency: "XTR" }) }))).toMatch(
    /do not multiply by 100/,
  );
  expect(problem(() => providerInvoice({ ...uzs, booking: booking() }))).toMatch(/use starsInvoice/);
  expect(problem(() => starsInvoice({ ...stars, ...{ providerToken: "1:TEST" } }))).toMatch(/providerToken/);
});

test.each([0, 1.5, -5, Number.NaN, Number.POSITIVE_INFINITY])("B47: %d Stars are refused", (amount) => {
  expect(problem(() => starsInvoice({ ...stars, booking: booking({ amount, currency: "XTR" }) }))).toMatch(/amountDue/);
});

test.each([
  {
    prices: [
      { label: "a", amount: 1 },
      { label: "b", amount: 2 },
    ],
  },
  { max_tip_amount: 5 },
  { suggestedTipAmounts: [1] },
  { needName: true },
  { need_shipping_address: true },
  { isFlexible: true },
  { subscription_period: 2_592_000 },
])("B47: %j has no place in a Stars invoice", (more) => {
  expect(problem(() => starsInvoice({ ...stars, ...more }))).toMatch(/Unrecognized key/);
});

test.each([
  ["an empty title", { title: "" }],
  ["a title of spaces", { title: "   " }],
  ["a title of 33 characters", { title: "x".repeat(33) }],
  ["no description", { description: "" }],
  ["a description of 256 characters", { description: "x".repeat(256) }],
  ["a title with NUL", { title: "a\u0000" }],
  ["half a character", { title: "a\uD800" }],
  ["a start parameter with spaces", { chatId: 1, startParameter: "a b" }],
  ["a photo that is no URL", { photo: { url: "cat.jpg" } }],
  ["a payload of ours that is too long in bytes", { booking: { ...booking(), payload: `bko1_${"я".repeat(62)}` } }],
  ["another payload", { booking: { ...booking(), payload: "order-1" } }],
  ["a booking that owes nothing", { booking: booking(null) }],
])("%s is refused before Telegram does", (_, more) => {
  expect(problem(() => starsInvoice({ ...stars, ...more }))).toMatch(/starsInvoice: /);
});

test("32 characters are 32 characters, also where each takes two UTF-16 units", () => {
  expect(starsInvoice({ ...stars, title: "💇".repeat(32) }).title).toHaveLength(64);
});

test("amounts are minor units, as they are: no scaling for any currency", () => {
  for (const [amount, currency] of [
    [1, "JPY"],
    [1, "KWD"],
    [999_999_999_999, "UZS"],
    [100, "XOF"],
  ] as const) {
    expect(providerInvoice({ ...uzs, booking: booking({ amount, currency }) }).prices).toEqual([
      { label: text.title, amount },
    ]);
  }
  expect(problem(() => providerInvoice({ ...uzs, booking: booking({ amount: 1e12, currency: "UZS" }) }))).toMatch(
    /12 digits/,
  );
});

test("every problem is named at once", () => {
  const message = problem(() => starsInvoice({ ...stars, title: "", description: "", booking: booking(null) }));
  expect(message).toMatch(/title/);
  expect(message).toMatch(/description/);
  expect(message).toMatch(/nothing to pay/);
});
