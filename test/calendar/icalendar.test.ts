import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CalendarEventInput, calendarEvent } from "../../src/calendar/index.ts";

const booking: CalendarEventInput = {
  uid: "0192@studio.example",
  sequence: 1,
  method: "request",
  start: "2026-10-25T00:30:00Z",
  end: new Date("2026-10-25T01:30:00Z"),
  stamp: "2026-07-01T08:00:00Z",
  summary: "Haircut",
  organizer: { name: "Studio", email: "hello@studio.example" },
};

/** The lines of a file with folding undone: name and parameters, and value. */
function lines(file: string): string[] {
  expect(file.endsWith("\r\n")).toBe(true);
  return file.slice(0, -2).replaceAll("\r\n ", "").split("\r\n");
}

function value(file: string, name: string): string | undefined {
  const line = lines(file).find((one) => one.startsWith(`${name}:`) || one.startsWith(`${name};`));
  return line?.slice(line.indexOf(":") + 1);
}

/** Undoes the escaping of RFC 5545 3.3.11. */
function unescaped(text: string | undefined): string | undefined {
  return text?.replaceAll(/\\([\\;,nN])/g, (_, sign: string) => (sign.toLowerCase() === "n" ? "\n" : sign));
}

describe("a booking as an iCalendar event (B14)", () => {
  test("stable UID, SEQUENCE, METHOD, times in UTC", () => {
    expect(lines(calendarEvent(booking))).toEqual([
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//bookonce//bookonce//EN",
      "METHOD:REQUEST",
      "BEGIN:VEVENT",
      "UID:0192@studio.example",
      "SEQUENCE:1",
      "DTSTAMP:20260701T080000Z",
      "DTSTART:20261025T003000Z",
      "DTEND:20261025T013000Z",
      "SUMMARY:Haircut",
      'ORGANIZER;CN="Studio":mailto:hello@studio.example',
      "STATUS:CONFIRMED",
      "END:VEVENT",
      "END:VCALENDAR",
    ]);
  });

  test("a move is a newer sequence of the same UID, a cancel takes it away", () => {
    const cancelled = calendarEvent({ ...booking, sequence: 3, method: "cancel" });
    expect(["METHOD", "UID", "SEQUENCE", "STATUS"].map((name) => value(cancelled, name))).toEqual([
      "CANCEL",
      "0192@studio.example",
      "3",
      "CANCELLED",
    ]);
  });

  test("the same input makes the same file: there is no clock in it", () => {
    expect(calendarEvent(booking)).toBe(calendarEvent(booking));
  });

  test("attendee, description, place and address", () => {
    const file = calendarEvent({
      ...booking,
      description: "Bring a towel.\r\nThe door code is 1;2,3\\4.",
      location: "1 Lenin Street, Yekaterinburg",
      url: "https://t.me/studio_bot?start=a,b;c",
      attendee: { name: 'Анна "А"', email: "anna@example.com" },
    });
    expect(value(file, "DESCRIPTION")).toBe("Bring a towel.\\nThe door code is 1\\;2\\,3\\\\4.");
    expect(value(file, "LOCATION")).toBe("1 Lenin Street\\, Yekaterinburg");
    expect(value(file, "URL")).toBe("https://t.me/studio_bot?start=a%2Cb%3Bc");
    expect(lines(file).find((line) => line.startsWith("ATTENDEE"))).toMatch(
      /;CN="Анна \^'А\^'":MAILTO:anna@example\.com$/,
    );
  });

  test("any text is one property, and read back as it was written", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }).map((written) => `x${written}`);
    fc.assert(
      fc.property(text, text, (summary, description) => {
        const file = calendarEvent({ ...booking, summary, description });
        expect(lines(file)).toHaveLength(16);
        for (const line of file.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
        expect(unescaped(value(file, "SUMMARY"))).toBe(summary);
        expect(unescaped(value(file, "DESCRIPTION"))).toBe(description);
      }),
      { numRuns: 200 },
    );
  });

  test("nothing can be smuggled in", () => {
    const file = calendarEvent({ ...booking, summary: "a\r\nATTENDEE:mailto:x@y.z\rb\u0000c\u0007\ud800d" });
    expect(value(file, "SUMMARY")).toBe("a\\nATTENDEE:mailto:x@y.z\\nb c \ufffdd");
    expect(() => calendarEvent({ ...booking, uid: "a\r\nMETHOD:X" })).toThrow(/uid: must be one line/);
    expect(() => calendarEvent({ ...booking, organizer: { name: "a\nb", email: "a@b.co\r\nX:y" } })).toThrow(
      /organizer\.name: must be one line.*organizer\.email: must be an e-mail address/,
    );
    expect(() => calendarEvent({ ...booking, url: "not a url" })).toThrow(/url: must be a URL/);
  });

  test("malformed events are refused", () => {
    expect(() => calendarEvent({ ...booking, end: booking.start })).toThrow(/end: must be after the start/);
    expect(() => calendarEvent({ ...booking, sequence: -1 })).toThrow(/sequence: must not be negative/);
    expect(() => calendarEvent({ ...booking, summary: " " })).toThrow(/summary: must not be empty/);
    expect(() => calendarEvent({ ...booking, method: "publish" as "request" })).toThrow(
      /method: must be request or cancel/,
    );
  });
});
