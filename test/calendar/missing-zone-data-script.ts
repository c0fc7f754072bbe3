// A runtime without zone data, as Intl shows it: only UTC is known. Run as a process of its own, because it breaks Intl.
const Complete = Intl.DateTimeFormat;

class OnlyUtc extends Complete {
  constructor(locales?: string | string[], options?: Intl.DateTimeFormatOptions) {
    const zone = options?.timeZone;
    if (zone !== undefined && zone !== "UTC") throw new RangeError(`Invalid time zone specified: ${zone}`);
    super(locales, options);
  }
}

Object.defineProperty(Intl, "DateTimeFormat", { value: OnlyUtc });
// A native Temporal has the data inside; the polyfill asks Intl.
Object.defineProperty(globalThis, "Temporal", { value: undefined });
const { defineSchedule, isCalendarError, readZone } = await import("../../src/calendar/index.ts");
try {
  defineSchedule({ zone: "Asia/Tashkent", weekly: {} });
} catch (error) {
  if (!isCalendarError(error)) throw error;
  process.stdout.write(JSON.stringify({ code: error.code, problems: error.problems, utc: readZone("UTC") }));
}
