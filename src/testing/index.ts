/** Tools for testing a bot that takes bookings and payments. */

export {
  type ConformanceCheck,
  type ConformanceDatabase,
  type DatabaseConformanceOptions,
  databaseConformance,
} from "./conformance/index.ts";
export { type DatabaseClock, databaseClock } from "./database-clock.ts";
export * from "./telegram/index.ts";
