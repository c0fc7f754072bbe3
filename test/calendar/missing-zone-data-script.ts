import "../support/without-zone-data.ts";

const { defineSchedule, isCalendarError, readZone } = await import("../../src/calendar/index.ts");
try {
  defineSchedule({ zone: "Asia/Tashkent", weekly: {} });
} catch (error) {
  if (!isCalendarError(error)) throw error;
  process.stdout.write(JSON.stringify({ code: error.code, problems: error.problems, utc: readZone("UTC") }));
}
