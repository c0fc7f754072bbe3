import { expect, test } from "vitest";
import { ConnectionLost, classify, errorCode, isAnswered, TransactionFailed } from "../../src/database/failure.ts";

/** An error as node-postgres throws it. */
function answered(code: string, severity = "ERROR"): Error {
  return Object.assign(new Error("as the server said"), { code, severity });
}

test.each([
  ["40P01", "conflict"],
  ["40001", "conflict"],
  ["23P01", "conflict"],
  ["23505", "conflict"],
  ["25P02", "conflict"],
  ["55P03", "busy"],
  ["57014", "busy"],
  ["42P01", "not_migrated"],
  ["57P01", "lost"],
  ["08006", "lost"],
  ["53300", "lost"],
  ["28P01", "lost"],
  ["ECONNREFUSED", "lost"],
  ["EPIPE", "lost"],
  ["42601", "unexpected"],
  ["22P02", "unexpected"],
  ["ERR_INVALID_ARG_TYPE", "unexpected"],
])("%s is %s", (code, failure) => {
  expect(classify(answered(code))).toBe(failure);
});

test("PgBouncer's 08P01 is a lost connection; PostgreSQL's is a bug of ours", () => {
  expect(classify(answered("08P01", "FATAL"))).toBe("lost");
  expect(classify(answered("08P01"))).toBe("unexpected");
});

test("what has no code is told by what it is, and by node-postgres's words", () => {
  expect(classify(new ConnectionLost("given up"))).toBe("lost");
  expect(classify(new TransactionFailed("rolled back"))).toBe("conflict");
  expect(classify(new Error("Connection terminated unexpectedly"))).toBe("lost");
  expect(classify(new Error("timeout exceeded when trying to connect"))).toBe("lost");
  expect(classify(new Error("Query read timeout"))).toBe("lost");
  expect(classify(new TypeError("x is not a function"))).toBe("unexpected");
  expect(classify(undefined)).toBe("unexpected");
});

test("a code is found through the wrappings of other tools", () => {
  // Drizzle's DrizzleQueryError, Prisma's P2010 with a driver adapter, and Node's "no address answered".
  expect(errorCode(new Error("Failed query", { cause: answered("55P03") }))).toBe("55P03");
  const prisma = {
    code: "P2010",
    meta: { driverAdapterError: { cause: { originalCode: "55P03", kind: "postgres" } } },
  };
  expect(classify(Object.assign(new Error("Raw query failed"), prisma))).toBe("busy");
  expect(classify(Object.assign(new Error("Raw query failed"), { code: "P2010", meta: { code: "40P01" } }))).toBe(
    "conflict",
  );
  expect(classify(new AggregateError([answered("ECONNREFUSED"), answered("ECONNREFUSED")]))).toBe("lost");
});

test("an answered error leaves a usable connection, whatever language the server speaks", () => {
  expect(isAnswered(answered("23505"))).toBe(true);
  expect(isAnswered(answered("23505", "ОШИБКА"))).toBe(true);
  expect(isAnswered(answered("57P01", "FATAL"))).toBe(false);
  expect(isAnswered(answered("25P03", "FATAL"))).toBe(false);
  expect(isAnswered(answered("EPIPE"))).toBe(false);
  expect(isAnswered(new Error("Connection terminated"))).toBe(false);
});
