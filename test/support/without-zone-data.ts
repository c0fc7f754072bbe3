// A runtime without zone data, as Intl shows it: only UTC is known. For a process of its own, because it breaks Intl; import it first.
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
