import { describe, expect, test } from "vitest";
import { groupByDate, labelTime, zoneToShow } from "../../src/calendar/index.ts";

describe("B15: a time is labelled with whose clock it is", () => {
  const at = "2026-07-10T10:00Z";
  const studio = { zone: "Asia/Yekaterinburg", words: { place: "studio time" } } as const;

  test("time, whose, city", () => {
    expect(labelTime(at, studio)).toEqual({
      date: "2026-07-10",
      dateText: "Friday, July 10",
      time: "15:00",
      zone: "Asia/Yekaterinburg",
      city: "Yekaterinburg",
      whose: "place",
      whoseText: "studio time",
      offset: "UTC+5",
      repeated: false,
      locale: "en",
      text: "15:00, studio time, Yekaterinburg",
    });
  });

  test("in Russian and in Uzbek", () => {
    expect(labelTime(at, { zone: "Asia/Yekaterinburg", locale: "ru" })).toMatchObject({
      dateText: "пятница, 10 июля",
      text: "15:00, местное время, Екатеринбург",
    });
    expect(labelTime(at, { zone: "Asia/Tashkent", locale: "uz", whose: "viewer" })).toMatchObject({
      dateText: "juma, 10-iyul",
      text: "15:00, sizning vaqtingiz, Toshkent",
    });
  });

  test("a city that is in no table is as the zone spells it, or as the caller says", () => {
    const city = (zone: string, given?: string) =>
      labelTime(at, { zone, locale: "ru", ...(given && { city: given }) }).city;
    expect(city("America/Argentina/Buenos_Aires")).toBe("Buenos Aires");
    expect(city("Europe/Kiev")).toBe("Киев");
    expect(city("Asia/Samarkand", "Бухара")).toBe("Бухара");
    expect(labelTime(at, { zone: "UTC" }).city).toBe("UTC");
  });

  test("the formatter can be replaced", () => {
    const text = labelTime("2026-07-10T10:00Z", {
      zone: "Europe/London",
      format: ({ time, city }) => `${time} ${city} time`,
    }).text;
    expect(text).toBe("11:00 London time");
  });
});

describe("B15: a wall time that occurs twice is told apart by its offset", () => {
  const label = (at: string, zone: string) => labelTime(at, { zone }).text;

  test("an hour, half an hour, at quarter-hour offsets, over midnight", () => {
    expect(label("2026-10-25T00:30Z", "Europe/Berlin")).toBe("02:30 (UTC+2), local time, Berlin");
    expect(label("2026-10-25T01:30Z", "Europe/Berlin")).toBe("02:30 (UTC+1), local time, Berlin");
    expect(label("2026-04-04T14:45Z", "Australia/Lord_Howe")).toBe("01:45 (UTC+11), local time, Lord Howe");
    expect(label("2026-04-04T15:15Z", "Australia/Lord_Howe")).toBe("01:45 (UTC+10:30), local time, Lord Howe");
    expect(label("2026-04-04T14:15Z", "Pacific/Chatham")).toBe("03:00 (UTC+12:45), local time, Chatham");
    expect(label("2018-02-18T02:30Z", "America/Sao_Paulo")).toBe("23:30 (UTC-3), local time, Sao Paulo");
    expect(label("2026-10-25T01:30Z", "Europe/London")).toBe("01:30 (UTC+0), local time, London");
  });

  test("only then", () => {
    expect(label("2026-10-25T02:00Z", "Europe/Berlin")).toBe("03:00, local time, Berlin");
    expect(label("2026-10-24T23:59Z", "Europe/Berlin")).toBe("01:59, local time, Berlin");
    expect(label("2026-03-29T01:30Z", "Europe/Berlin")).toBe("03:30, local time, Berlin");
  });
});

describe("which zone to show", () => {
  const text = (at: string, service: Parameters<typeof zoneToShow>[0]) =>
    labelTime(at, { ...zoneToShow(service), showOffset: "always" }).text;

  test("R84: the guest's zone is unknown: the shop's, and it says so", () => {
    const berlin = { at: "call", placeZone: "Europe/Berlin", viewerZone: null } as const;
    expect(text("2024-07-10T08:00Z", berlin)).toBe("10:00 (UTC+2), local time, Berlin");
    const denver = { at: "call", placeZone: "America/Denver", viewerZone: null } as const;
    expect(text("2021-01-28T20:30Z", denver)).toBe("13:30 (UTC-7), local time, Denver");
  });

  test("R86: label and number come from one value", () => {
    const at = "2020-10-23T08:00Z";
    const guest = { at: "call", placeZone: "Atlantic/Azores", viewerZone: "Europe/Amsterdam" } as const;
    expect(text(at, guest)).toBe("10:00 (UTC+2), your time, Amsterdam");
    expect(text(at, { ...guest, viewerZone: null })).toBe("08:00 (UTC+0), local time, Azores");
    expect(labelTime(at, { zone: "Europe/Amsterdam" })).toMatchObject({ time: "10:00", zone: "Europe/Amsterdam" });
    expect(labelTime(at, { zone: "Atlantic/Azores" })).toMatchObject({ time: "08:00", zone: "Atlantic/Azores" });
  });

  test("R87: a service at a place shows the place's time to a visitor from abroad", () => {
    const london = { at: "place", placeZone: "Europe/London", viewerZone: "America/New_York" } as const;
    expect(text("2026-07-10T10:00Z", london)).toBe("11:00 (UTC+1), local time, London");
    expect(text("2026-07-10T10:00Z", { ...london, at: "call" })).toBe("06:00 (UTC-4), your time, New York");
  });
});

describe("grouping", () => {
  const late = ["2026-06-09T22:00Z", "2026-06-09T20:00Z", "2026-06-10T07:00Z"];

  test("by the viewer's date, in order of time", () => {
    const dates = (zone: string) => groupByDate(late, zone).map(({ date, starts }) => `${date}: ${starts.length}`);
    expect(dates("Europe/Berlin")).toEqual(["2026-06-09: 1", "2026-06-10: 2"]);
    expect(dates("America/New_York")).toEqual(["2026-06-09: 2", "2026-06-10: 1"]);
    expect(dates("Pacific/Kiritimati")).toEqual(["2026-06-10: 3"]);
  });

  test("over the date line: a skipped date is no group", () => {
    const groups = groupByDate(["2011-12-30T09:30Z", "2011-12-30T10:30Z"], "Pacific/Apia");
    expect(groups.map(({ date }) => date)).toEqual(["2011-12-29", "2011-12-31"]);
    expect(groupByDate([], "UTC")).toEqual([]);
  });
});
