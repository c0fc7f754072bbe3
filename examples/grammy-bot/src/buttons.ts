import type { Seeker } from "./seeker.ts";

// What the buttons ask for. Telegram gives `callback_data` 64 bytes, so times are written without seconds. Anybody can send anything as
// a button, and an old screen still has its buttons: whatever comes is checked again.

const id = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const date = String.raw`\d{4}-\d\d-\d\d`;

export const presses = {
  days: /^days$/,
  day: new RegExp(`^day:(${date})$`),
  time: /^time:(.*)$/,
  cancel: new RegExp(`^cancel:(${id})$`),
  move: new RegExp(`^move:(${id})$`),
  moveDay: new RegExp(`^move:(${id}):(${date})$`),
  moveTime: new RegExp(`^move:(${id}):(.*)$`),
} as const;

export function daysButton({ replaces }: Seeker): string {
  return replaces === undefined ? "days" : moveButton(replaces);
}

export function dayButton(day: string, { replaces }: Seeker): string {
  return replaces === undefined ? `day:${day}` : `${moveButton(replaces)}:${day}`;
}

export function timeButton(at: Date, { replaces }: Seeker): string {
  const time = `${at.toISOString().slice(0, 16)}Z`;
  return replaces === undefined ? `time:${time}` : `${moveButton(replaces)}:${time}`;
}

export function moveButton(bookingId: string): string {
  return `move:${bookingId}`;
}

export function cancelButton(bookingId: string): string {
  return `cancel:${bookingId}`;
}

/** The time that a button names, or null when it names none of this age. */
export function pressedTime(text = ""): Date | null {
  const at = /^2\d{3}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{3})?)?Z$/.test(text) ? new Date(text) : null;
  return at === null || Number.isNaN(at.getTime()) ? null : at;
}
