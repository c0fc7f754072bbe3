import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  defineSchedule,
  groupByDate,
  isCalendarError,
  labelTime,
  localDayOf,
  readZone,
} from "../../src/calendar/index.ts";
import { zones } from "./helpers.ts";

describe("zone names", () => {
  test.each(zones)("%s is a zone, in any case", (zone) => {
    expect(readZone(zone)).toEqual({ zone });
    expect(readZone(zone.toLowerCase())).toEqual({ zone });
    expect(readZone(zone.toUpperCase())).toEqual({ zone });
  });

  test("UTC is UTC; links are kept as they were named", () => {
    expect(readZone("Etc/UTC")).toEqual({ zone: "UTC" });
    expect(readZone("asia/calcutta")).toEqual({ zone: "Asia/Calcutta" });
    expect(readZone("Asia/Kolkata")).toEqual({ zone: "Asia/Kolkata" });
    expect(readZone("europe/kyiv")).toEqual({ zone: "Europe/Kyiv" });
  });

  test.each([
    "+05:00",
    "-3",
    "+0530",
    "\u22125",
    "UTC+3",
    "utc +3",
    "GMT-3",
    "GMT",
    "GMT0",
    "Etc/GMT+5",
    "etc/gmt-14",
    "Z",
    "Zulu",
    "Etc/Zulu",
  ])("%s is an offset, and refused", (name) => {
    expect(readZone(name)).toMatchObject({ refused: "offset", message: expect.stringContaining("offset") });
  });

  test.each(["EST", "est5edt", "CET", "MST", "Japan", "GB", "Singapore"])("%s is an alias, and refused", (name) => {
    expect(readZone(name)).toMatchObject({ refused: "alias" });
  });

  test.each([
    "",
    " ",
    "Mars/Base",
    "Europe/Paris ",
    "Europe/Paris\u0000",
    "Etc/Unknown",
    "Europe/Paris[u-ca=iso8601]",
    "x".repeat(10_000),
    "constructor",
    "2026-01-01",
  ])("%j is not a zone", (name) => {
    expect(readZone(name)).toMatchObject({ refused: "unknown" });
  });

  test("every function refuses them with a sentence", () => {
    const calls = [
      () => defineSchedule({ zone: "UTC+5", weekly: {} }),
      () => labelTime(0 + 1e12, { zone: "+05:00" }),
      () => groupByDate([], "EST"),
      () => localDayOf(1e12, "Nowhere/City"),
    ];
    for (const call of calls) {
      try {
        call();
        expect.unreachable();
      } catch (error) {
        expect(isCalendarError(error) && error.code).toBe("invalid_input");
        expect(isCalendarError(error) && error.problems.map(({ path }) => path)).toEqual(["zone"]);
      }
    }
  });
});

test("a runtime without zone data is refused clearly, and not as a misspelt name", () => {
  const script = fileURLToPath(new URL("missing-zone-data-script.ts", import.meta.url));
  const output = execFileSync(process.execPath, ["--import", "tsx", script], { encoding: "utf8" });
  expect(JSON.parse(output)).toEqual({
    code: "missing_zone_data",
    problems: [{ path: "zone", message: expect.stringContaining("no time zone data") }],
    utc: { zone: "UTC" },
  });
});
