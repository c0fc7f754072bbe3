import { defaultTexts, fillText, type MessageCode, mergeTexts, type ReasonCode, textFor } from "bookonce/telegram";
import { expect, test } from "vitest";
import { en } from "../../src/texts/en.ts";

// The types say that every reason of every verb is a key of the English texts.
const isReason = (code: string): code is ReasonCode => code in en.reasons;
const isMessage = (code: string): code is MessageCode => code in en.messages;
const reasons = Object.keys(en.reasons).filter(isReason);
const messages = Object.keys(en.messages).filter(isMessage);
const declineReasons: ReasonCode[] = [
  "conflict",
  "unknown_booking",
  "wrong_payer",
  "wrong_amount",
  "cancelled",
  "already_paid",
  "hold_lapsed",
  "in_past",
  "payment_in_progress",
  "slot_taken",
  "unavailable",
];

test.each(["en", "ru", "uz"])("every reason has words in %s that fit a small window", (language) => {
  const texts = textFor(defaultTexts, language);
  expect(Object.keys(texts.reasons).sort()).toEqual([...reasons].sort());
  expect(reasons).toEqual(expect.arrayContaining(declineReasons));
  for (const reason of reasons) {
    const text = texts.reasons[reason];
    expect(text.trim().length, reason).toBeGreaterThan(0);
    expect(text.length, reason).toBeLessThanOrEqual(200);
    expect(text, reason).not.toMatch(/[{}]/);
  }
});

test("no two reasons of a language say the same, and no language repeats another", () => {
  const all = ["en", "ru", "uz"].flatMap((language) => Object.values(textFor(defaultTexts, language).reasons));
  expect(new Set(all).size).toBe(all.length);
});

test.each(["ru", "uz"])("messages in %s have the placeholders of the English ones", (language) => {
  const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
  for (const code of messages) {
    expect(placeholders(textFor(defaultTexts, language).messages[code]), code).toEqual(placeholders(en.messages[code]));
  }
});

test.each(["en", "ru", "uz"])(
  "B17 whoever has booked or moved reads in %s when, how long, and how to change it",
  (language) => {
    const { booked, moved } = textFor(defaultTexts, language).messages;
    for (const text of [booked, moved]) expect(text).toMatch(/\{when\}.*\{duration\}.*\{manage\}/);
    expect(moved).not.toBe(booked);
  },
);

test("Russian is Cyrillic; Uzbek is Latin with its own letters", () => {
  expect(Object.values(textFor(defaultTexts, "ru").reasons).every((text) => /^[А-ЯЁ]/.test(text))).toBe(true);
  const uzbek = Object.values(textFor(defaultTexts, "uz").reasons).join(" ");
  expect(uzbek).toMatch(/oʻ/);
  expect(uzbek).not.toMatch(/['’‘]/);
});

test.each([
  ["ru", "ru"],
  ["ru-RU", "ru"],
  ["UZ", "uz"],
  ["uz-Latn-UZ", "uz"],
  ["en-GB", "en"],
  ["de", "en"],
  ["", "en"],
  [undefined, "en"],
  [null, "en"],
  ["__proto__", "en"],
  ["constructor", "en"],
])("language %j reads %s", (code, language) => {
  expect(textFor(defaultTexts, code)).toBe(defaultTexts[language]);
});

test("the fallback is yours to choose", () => {
  expect(textFor(defaultTexts, "de", "uz")).toBe(defaultTexts["uz"]);
});

test("own words replace some, the rest stays; a language of one's own falls back to English", () => {
  const book = mergeTexts({
    ru: { reasons: { slot_taken: "Занято!" } },
    kk: { messages: { refunded: "{amount} қайтарылды." } },
  });
  expect(textFor(book, "ru").reasons.slot_taken).toBe("Занято!");
  expect(textFor(book, "ru").reasons.in_past).toBe(textFor(defaultTexts, "ru").reasons.in_past);
  expect(textFor(book, "kk").messages.refunded).toBe("{amount} қайтарылды.");
  expect(textFor(book, "kk").reasons).toEqual(en.reasons);
  expect(defaultTexts["kk"]).toBeUndefined();
});

test.each([
  ['{ "en": { "reasons": { "slot_taken": "" } } }', "must not be empty"],
  ['{ "en": { "reasons": { "slot_taken": " " } } }', "must not be empty"],
  ['{ "en": { "messages": { "booked": 5 } } }', "must not be empty"],
  [JSON.stringify({ en: { reasons: { slot_taken: "x".repeat(201) } } }), "at most 200"],
  ['{ "en": { "reasons": { "slot_takn": "typo" } } }', "slot_takn is no code of ours"],
])("%s is refused", (json, words) => {
  const refusal = expect.objectContaining({ code: "invalid_input", message: expect.stringContaining(words) });
  expect(() => mergeTexts(JSON.parse(json))).toThrow(refusal);
});

test("placeholders are filled once, and one without a value stays", () => {
  expect(fillText("{when}, {duration}; {manage}", { when: "{duration}", duration: "60 min" })).toBe(
    "{duration}, 60 min; {manage}",
  );
});
