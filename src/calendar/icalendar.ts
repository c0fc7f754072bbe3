import ical, { ICalAttendeeStatus, ICalCalendarMethod, ICalEventStatus } from "ical-generator";
import { z } from "zod";
import { type InstantInput, instant, parse } from "./schema.ts";

export interface CalendarPerson {
  readonly name: string;
  readonly email: string;
}

export interface CalendarEventInput {
  /** The same for every version of one booking: `${booking.id}@your-domain`. */
  readonly uid: string;
  /** Grows with every change of the booking: its version. Calendars ignore what is not newer. */
  readonly sequence: number;
  /** `request`: add or update it. `cancel`: take it away. */
  readonly method: "request" | "cancel";
  readonly start: InstantInput;
  readonly end: InstantInput;
  /** When this version was made (DTSTAMP). */
  readonly stamp: InstantInput;
  readonly summary: string;
  readonly description?: string;
  readonly location?: string;
  /** An https address, or another one that the phone can open (`tg:`). */
  readonly url?: string;
  /** Who offers it. The standard wants one for both methods. */
  readonly organizer: CalendarPerson;
  readonly attendee?: CalendarPerson;
}

const line = z
  .string("must be text")
  .min(1, "must not be empty")
  .max(1_000, "must have at most 1000 characters")
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), "must be one line of well-formed text");
const lines = z
  .string("must be text")
  .max(20_000, "must have at most 20000 characters")
  // Control characters cannot be written in iCalendar, not even escaped.
  .transform((text) =>
    text
      .toWellFormed()
      .replaceAll(/\r\n?/g, "\n")
      .replaceAll(/[^\P{Cc}\n\t]/gu, " "),
  );
const person = z.strictObject({ name: line, email: z.email("must be an e-mail address") });

const input = z
  .strictObject({
    uid: line.refine((uid) => uid.length <= 255, "must have at most 255 characters"),
    sequence: z.int("must be a whole number").min(0, "must not be negative").max(2_147_483_647, "is too large"),
    method: z.enum(["request", "cancel"], "must be request or cancel"),
    start: instant,
    end: instant,
    stamp: instant,
    summary: lines.refine((text) => text.trim() !== "", "must not be empty"),
    description: lines.optional(),
    location: lines.optional(),
    url: line.refine(URL.canParse, "must be a URL").optional(),
    organizer: person,
    attendee: person.optional(),
  })
  .refine(({ start, end }) => start < end, { path: ["end"], message: "must be after the start" });

const methods = {
  request: { method: ICalCalendarMethod.REQUEST, status: ICalEventStatus.CONFIRMED },
  cancel: { method: ICalCalendarMethod.CANCEL, status: ICalEventStatus.CANCELLED },
} as const;

/**
 * A booking as an iCalendar file (RFC 5545): one event, its times in UTC, so that no reader needs zone data of ours. Send it as
 * `text/calendar; method=REQUEST` (or `CANCEL`), or as a file `booking.ics`. Throws {@link CalendarError} for malformed arguments.
 *
 * @example
 * ```ts
 * import { calendarEvent } from "bookonce/calendar";
 *
 * export const file: string = calendarEvent({
 *   uid: "0192@studio.example",
 *   sequence: 1,
 *   method: "request",
 *   start: "2026-07-10T10:00:00Z",
 *   end: "2026-07-10T11:00:00Z",
 *   stamp: "2026-07-01T08:00:00Z",
 *   summary: "Haircut, Anna",
 *   location: "1 Lenin Street, Yekaterinburg",
 *   organizer: { name: "Studio", email: "hello@studio.example" },
 * });
 * ```
 */
export function calendarEvent(given: CalendarEventInput): string {
  const event = parse("calendarEvent", input, given);
  const { method, status } = methods[event.method];
  const calendar = ical({ prodId: { company: "bookonce", product: "bookonce", language: "EN" }, method });
  calendar.createEvent({
    id: event.uid,
    sequence: event.sequence,
    status,
    start: new Date(event.start),
    end: new Date(event.end),
    stamp: new Date(event.stamp),
    summary: event.summary,
    organizer: event.organizer,
    ...(event.description !== undefined && { description: event.description }),
    ...(event.location !== undefined && { location: event.location }),
    ...(event.url !== undefined && { url: unescaped(event.url) }),
    ...(event.attendee && { attendees: [{ ...event.attendee, rsvp: false, status: ICalAttendeeStatus.ACCEPTED }] }),
  });
  // RFC 5545 ends every line, the last one too.
  return `${calendar.toString()}\r\n`;
}

/** ical-generator escapes an address as if it were text, which RFC 5545 does not: leave it nothing to escape. */
function unescaped(url: string): string {
  return url.replaceAll(/[,;\\]/g, (sign) => encodeURIComponent(sign));
}
