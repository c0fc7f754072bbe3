import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { probes } from "./probes.ts";

interface Results {
  readonly serverOffset: number;
  readonly probes: readonly (string | null)[][];
  readonly changes: readonly {
    readonly zone: string;
    readonly starts: readonly string[];
    readonly labels: readonly { text: string }[];
  }[];
  readonly event: string;
}

const script = fileURLToPath(new URL("server-zone-script.ts", import.meta.url));

async function runIn(zone: string): Promise<Results> {
  const env = { ...process.env, TZ: zone };
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", script], { env, maxBuffer: 64e6 });
  return JSON.parse(stdout);
}

describe("results do not depend on the server's zone (B15)", () => {
  let inUtc: Results;
  beforeAll(async () => {
    inUtc = await runIn("UTC");
  });

  test("under UTC they are what they should be", () => {
    expect(inUtc.serverOffset).toBe(0);
    const second = (text: string | undefined) => `${text}:00.000Z`;
    expect(inUtc.probes).toEqual(
      probes.map(({ earlier, later, edges, edge }) => [
        second(earlier),
        second(later),
        second(edges === "gap" ? edge : earlier),
        second(edges === "gap" ? edge : later),
        edges === "gap" ? "never" : edges === "fold" ? "twice" : "once",
      ]),
    );
    expect(inUtc.changes.every(({ starts }) => starts.length > 10)).toBe(true);
    expect(inUtc.event).toContain("DTSTART:20260308T073000Z\r\nDTEND:20260308T083000Z");
  });

  test.each([
    ["America/New_York", 240],
    ["Pacific/Auckland", -720],
    ["Australia/Lord_Howe", -630],
    ["Asia/Kathmandu", -345],
  ])("under %s they are the same", async (zone, offset) => {
    const { serverOffset, ...results } = await runIn(zone);
    // The process really ran in that zone.
    expect(serverOffset).toBe(offset);
    expect({ serverOffset: 0, ...results }).toEqual(inUtc);
  });
});
