import { z } from "zod";
import { occurrences, offsetMinutes, wallOf } from "./civil-time.ts";
import { cityOf, type LabelLocale, type LabelWords, labelWords, type Whose } from "./label-words.ts";
import { type InstantInput, instant, parse, zone } from "./schema.ts";

/** The parts of a time as a person reads it. All of them come from one instant and one zone, so that they cannot disagree. */
export interface TimeLabelParts {
  /** "YYYY-MM-DD" in `zone`. */
  readonly date: string;
  /** The date in words, without the year: "Sunday, October 25". */
  readonly dateText: string;
  /** "HH:mm". */
  readonly time: string;
  readonly zone: string;
  readonly city: string;
  readonly whose: Whose;
  /** `whose` in words: "studio time". */
  readonly whoseText: string;
  /** "UTC+5", "UTC+5:45", "UTC+0". */
  readonly offset: string;
  /** This wall time occurs twice on this date, because the clocks are set back: without its offset it says nothing. */
  readonly repeated: boolean;
  readonly locale: LabelLocale;
}

export interface TimeLabel extends TimeLabelParts {
  /** "15:00, studio time, Yekaterinburg", with the offset after the time when it is needed; or what `format` made of the parts. */
  readonly text: string;
}

type ShowOffset = "when_repeated" | "always";

export interface LabelOptions {
  /** The zone to show the time in. See {@link zoneToShow}. */
  readonly zone: string;
  /** Whose zone that is; `place` if not said. */
  readonly whose?: Whose;
  /** `en` if not said. */
  readonly locale?: LabelLocale;
  readonly words?: Partial<LabelWords>;
  /** Instead of the city that the zone is named after. */
  readonly city?: string;
  /** When the offset is part of the text; `when_repeated` if not said. */
  readonly showOffset?: ShowOffset;
  /** Makes the text from the parts, instead of the built-in order. */
  readonly format?: (parts: TimeLabelParts) => string;
}

const input = z.strictObject({
  at: instant,
  zone,
  whose: z.enum(["place", "viewer"], "must be place or viewer").optional(),
  locale: z.enum(["en", "ru", "uz"], "must be en, ru or uz").optional(),
  words: z.strictObject({ place: z.string().optional(), viewer: z.string().optional() }).optional(),
  city: z.string("must be text").optional(),
  showOffset: z.enum(["when_repeated", "always"], "must be when_repeated or always").optional(),
});

/**
 * A time as it is shown to a person: read from one clock, and labelled with whose clock that is. Throws {@link CalendarError} for an
 * instant, a zone or a language that is none.
 *
 * @example
 * ```ts
 * import { labelTime } from "bookonce/calendar";
 *
 * const label = labelTime("2026-07-10T10:00:00Z", { zone: "Asia/Yekaterinburg", words: { place: "studio time" } });
 * export const text: string = label.text; // "15:00, studio time, Yekaterinburg"
 * ```
 */
export function labelTime(at: InstantInput, { format, ...options }: LabelOptions): TimeLabel {
  const checked = parse("labelTime", input, { at, ...options });
  const { whose = "place", locale = "en", words, showOffset = "when_repeated" } = checked;
  const wall = wallOf(checked.at, checked.zone);
  const parts: TimeLabelParts = {
    ...wall,
    dateText: dateInWords(wall.date, locale),
    zone: checked.zone,
    city: checked.city ?? cityOf(checked.zone, locale),
    whose,
    whoseText: words?.[whose] ?? labelWords[locale][whose],
    offset: offsetText(offsetMinutes(checked.at, checked.zone)),
    repeated: occurrences(wall, checked.zone) === "twice",
    locale,
  };
  return { ...parts, text: format === undefined ? plainText(parts, showOffset) : format(parts) };
}

function plainText({ time, offset, repeated, whoseText, city }: TimeLabelParts, showOffset: ShowOffset): string {
  const clock = repeated || showOffset === "always" ? `${time} (${offset})` : time;
  return `${clock}, ${whoseText}, ${city}`;
}

/**
 * Whose zone a time is shown in. A service at a place shows the clock on the wall there, wherever the customer looks from; one that
 * happens on a call shows the customer's, if the customer has named or confirmed it (B15), and the place's otherwise.
 */
export function zoneToShow(service: {
  readonly at: "place" | "call";
  readonly placeZone: string;
  /** Null: not known. Never guess it from a language. */
  readonly viewerZone: string | null;
}): { readonly zone: string; readonly whose: Whose } {
  return service.at === "call" && service.viewerZone !== null
    ? { zone: service.viewerZone, whose: "viewer" }
    : { zone: service.placeZone, whose: "place" };
}

/** The date in words. Formatted from the civil date itself, in UTC, so that no second zone can shift it. */
function dateInWords(date: string, locale: LabelLocale): string {
  const format = dateFormats[locale] ?? dateFormat(locale);
  dateFormats[locale] = format;
  return format.format(Date.parse(date));
}

const dateFormats: Partial<Record<LabelLocale, Intl.DateTimeFormat>> = {};

function dateFormat(locale: LabelLocale): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" });
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  const rest = size % 60 === 0 ? "" : `:${String(size % 60).padStart(2, "0")}`;
  return `UTC${minutes < 0 ? "-" : "+"}${Math.floor(size / 60)}${rest}`;
}
