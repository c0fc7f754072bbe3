import { BookonceError, type InputProblem } from "../core/error.ts";
import { en } from "./en.ts";
import type { MessageCode, ReasonCode, Texts } from "./reasons.ts";
import { ru } from "./ru.ts";
import { uz } from "./uz.ts";

export type { MessageCode, ReasonCode, Texts } from "./reasons.ts";

/** The texts of every language, by the language's code: `en`, `ru`, `uz`, and those that you add. */
export type TextBook = Readonly<Record<string, Texts>>;

/** Your own wording by language; what is left out stays. A language of your own falls back to English. */
export type TextOverrides = Readonly<
  Record<
    string,
    {
      readonly reasons?: Partial<Readonly<Record<ReasonCode, string>>>;
      readonly messages?: Partial<Readonly<Record<MessageCode, string>>>;
    }
  >
>;

/** What the library says by itself, in English, Russian and Uzbek. */
export const defaultTexts: TextBook = { en, ru, uz };

/** A reason is shown in a small window of Telegram's clients. */
const maxReasonLength = 200;

/**
 * The default texts with your own wording in place.
 *
 * @example
 * ```ts
 * import { mergeTexts, textFor } from "bookonce/telegram";
 *
 * const texts = mergeTexts({ en: { reasons: { slot_taken: "Somebody was faster. Pick another court?" } } });
 * textFor(texts, "en").reasons.slot_taken;
 * ```
 *
 * @throws BookonceError `invalid_input`: an unknown code, or a text that is empty or longer than 200 characters (reasons only).
 */
export function mergeTexts(overrides: TextOverrides = {}): TextBook {
  const problems: InputProblem[] = [];
  const merged: Record<string, Texts> = { ...defaultTexts };
  // The types say so; JavaScript may pass anything.
  if (!isRecord(overrides)) problems.push({ path: "texts", message: "must be an object" });
  for (const [language, own] of Object.entries(isRecord(overrides) ? overrides : {})) {
    const { reasons = {}, messages = {} } = isRecord(own) ? own : {};
    if (![own, reasons, messages].every(isRecord)) {
      problems.push({ path: language, message: "must be an object of reasons and messages" });
      continue;
    }
    const base = defaultTexts[language] ?? en;
    problems.push(...problemsOf(`${language}.reasons`, reasons, base.reasons, maxReasonLength));
    problems.push(...problemsOf(`${language}.messages`, messages, base.messages, 4096));
    merged[language] = { reasons: { ...base.reasons, ...reasons }, messages: { ...base.messages, ...messages } };
  }
  if (problems.length === 0) return merged;
  const summary = problems.map(({ path, message }) => `${path} ${message}`).join("; ");
  throw new BookonceError("invalid_input", `texts: ${summary}`, { problems });
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function problemsOf(
  path: string,
  given: Readonly<Record<string, string | undefined>>,
  known: Readonly<Record<string, string>>,
  maxLength: number,
): InputProblem[] {
  return Object.entries(given).flatMap(([code, text]) => {
    if (!(code in known)) return [{ path: `${path}.${code}`, message: "is no code of ours" }];
    if (typeof text !== "string" || text.trim() === "") {
      return [{ path: `${path}.${code}`, message: "must not be empty" }];
    }
    return text.length > maxLength
      ? [{ path: `${path}.${code}`, message: `must have at most ${maxLength} characters` }]
      : [];
  });
}

/**
 * The texts for a person. `languageCode` is an IETF tag as Telegram's `language_code` gives it (`"ru"`, `"pt-BR"`), or nothing; it
 * chooses the language of a text and nothing else (never a time zone). Unknown languages get `fallback`, by default English.
 */
export function textFor(book: TextBook, languageCode?: string | null, fallback = "en"): Texts {
  const tag = languageCode?.toLowerCase() ?? "";
  const [language = ""] = tag.split("-");
  return own(book, tag) ?? own(book, language) ?? own(book, fallback) ?? en;
}

function own(book: TextBook, language: string): Texts | undefined {
  return Object.hasOwn(book, language) ? book[language] : undefined;
}

/** Puts values into a text's placeholders: `fillText("Booked: {when}", { when: "15:00" })`. A placeholder without a value stays. */
export function fillText(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
}
