import { spelledZone } from "./civil-time.ts";

/**
 * What became of a zone name.
 *
 * - `zone`: the name as the zone data spell it.
 * - `offset`: "+05:00", "UTC+5", "Etc/GMT-5": a number says nothing about clock changes, past or future.
 * - `alias`: "EST", "CET", "Japan": an abbreviation or an old one-word name, which may mean several places.
 * - `unknown`: not in the zone data of this runtime: misspelt, or newer than the data.
 * - `missing_zone_data`: the runtime has no zone data at all.
 */
export type ZoneReading =
  | { readonly zone: string }
  | { readonly refused: "offset" | "alias" | "unknown" | "missing_zone_data"; readonly message: string };

const offset = /^(z|zulu|((utc|gmt|ut)\s*)?([+\-\u2212]\s*\d{1,2}(:?\d{2}(:?\d{2})?)?))$/i;
const fixed = /^(gmt0?|uct|universal|greenwich|etc\/(gmt|greenwich|universal|uct|zulu).*)$/i;
const wellKnown = ["Europe/London", "America/New_York", "Asia/Tokyo"];

/**
 * Reads a time zone that a person or a program has named: an IANA name such as "Asia/Tashkent", or "UTC", in any case. Nothing else
 * is a zone. Links such as "Asia/Calcutta" are accepted and kept as they were named.
 *
 * @example
 * ```ts
 * import { readZone } from "bookonce/calendar";
 *
 * const reading = readZone("asia/tashkent");
 * export const answer: string = "zone" in reading ? `Your zone is ${reading.zone}.` : reading.message;
 * ```
 */
export function readZone(name: string): ZoneReading {
  const known = checked.get(name);
  if (known !== undefined) return { zone: known };
  const reading = read(name);
  // Names come from people, in any case: keep a bounded number of them.
  if ("zone" in reading && checked.size < 1_000) checked.set(name, reading.zone);
  return reading;
}

const checked = new Map<string, string>();

function read(name: string): ZoneReading {
  const shown = JSON.stringify(name.slice(0, 60));
  if (/^(etc\/)?utc$/i.test(name)) return { zone: "UTC" };
  if (offset.test(name) || fixed.test(name)) {
    return {
      refused: "offset",
      message: `${shown} is an offset, not a time zone: name a place such as "Asia/Tashkent", or "UTC"`,
    };
  }
  const zone = spelledZone(name);
  if (zone?.includes("/")) return { zone };
  if (zone !== null) {
    return {
      refused: "alias",
      message: `${shown} is an abbreviation or an old alias: name a place such as "America/New_York"`,
    };
  }
  if (wellKnown.some((known) => spelledZone(known) === null)) {
    return {
      refused: "missing_zone_data",
      message: `${shown} cannot be looked up: this runtime has no time zone data; run a Node build with full ICU and no NODE_ICU_DATA that replaces it`,
    };
  }
  return {
    refused: "unknown",
    message: `${shown} is not in the time zone data of this runtime: name a place such as "Asia/Tashkent"`,
  };
}
