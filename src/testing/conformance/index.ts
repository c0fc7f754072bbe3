import * as endings from "./endings.ts";
import * as givingUp from "./giving-up.ts";
import * as isolation from "./isolation.ts";
import * as joining from "./joining.ts";
import * as limits from "./limits.ts";
import { type Check, type ConformanceDatabase, runCheck } from "./scratch.ts";
import * as values from "./values.ts";

export type { ConformanceDatabase } from "./scratch.ts";

/** What {@link databaseConformance} needs to know about your adapter. */
export interface DatabaseConformanceOptions<Caller> {
  /** Opens a database for one check; the check closes it. The role must be allowed to create a schema. */
  open(): Promise<ConformanceDatabase<Caller>>;
  /** How many connections it uses at most. */
  readonly connections: number;
  /**
   * The database is a single backend in this process, as PGlite is: nothing concurrent can be tried, and no statement can be given up
   * while it runs. Default false.
   */
  readonly singleBackend?: boolean;
}

/** One check: give its name and its `run` to the test runner you use. */
export interface ConformanceCheck {
  readonly name: string;
  run(): Promise<void>;
}

interface Row {
  readonly name: string;
  readonly check: Check<unknown>;
  /** Needs a server: time-outs, a connection that can be lost. */
  readonly server?: true;
  /** Needs two connections at the same time. */
  readonly two?: true;
}

const checks: readonly Row[] = [
  { name: "every text comes back as it went", check: values.everyTextComesBackAsItWent },
  { name: "a document of megabytes comes back", check: values.aDocumentOfMegabytesComesBack },
  { name: "a result is the column of the first row, or null", check: values.aResultIsTheColumnOfTheFirstRowOrNull },
  { name: "statements run in the order they were sent", check: values.statementsRunInTheOrderTheyWereSent },
  {
    name: "a text of several statements runs when it has no values",
    check: values.aTextOfSeveralStatementsRunsWhenItHasNoValues,
  },
  { name: "a transaction without statements is no trouble", check: values.noStatementsAreNoTrouble },
  { name: "what resolves is committed", check: endings.whatResolvesIsCommitted },
  { name: "a rejection of the work rolls back", check: endings.aRejectionOfTheWorkRollsBack },
  {
    name: "a failed statement rejects with its own error and rolls back",
    check: endings.aFailedStatementRejectsWithItsOwnErrorAndRollsBack,
  },
  {
    name: "a transaction whose failure nobody looked at is not taken for committed",
    check: endings.aTransactionWhoseFailureNobodyLookedAtIsNotTakenForCommitted,
  },
  { name: "a constraint that fails at the commit rejects", check: endings.aConstraintThatFailsAtTheCommitRejects },
  {
    name: "the database works on after any number of failures",
    check: endings.theDatabaseWorksOnAfterAnyNumberOfFailures,
  },
  {
    name: "an error of one transaction is not seen by the next",
    check: endings.anEarlierErrorOfOneTransactionIsNotSeenByTheNext,
  },
  { name: "the transaction is READ COMMITTED and writes", check: isolation.theTransactionIsReadCommittedAndWrites },
  {
    name: "two transactions do not see each other before the commit",
    check: isolation.twoTransactionsDoNotSeeEachOtherBeforeTheCommit,
    two: true,
  },
  {
    name: "a statement after a lock sees what the lock waited for",
    check: isolation.aStatementAfterALockSeesWhatTheLockWaitedFor,
  },
  { name: "the time-outs are those of the transaction", check: limits.theTimeoutsAreThoseOfTheTransaction },
  { name: "the time-outs are not left on the connection", check: limits.theTimeoutsAreNotLeftOnTheConnection },
  { name: "a lock that is held too long is busy", check: limits.aLockThatIsHeldTooLongIsBusy, server: true, two: true },
  { name: "a statement that runs too long is busy", check: limits.aStatementThatRunsTooLongIsBusy, server: true },
  {
    name: "a stalled transaction is ended by the server",
    check: limits.aStalledTransactionIsEndedByTheServer,
    server: true,
  },
  {
    name: "a connection that is lost rejects and is not used again",
    check: limits.aConnectionThatIsLostRejectsAndIsNotUsedAgain,
    server: true,
  },
  { name: "a signal that fired before starts nothing", check: givingUp.aSignalThatFiredBeforeStartsNothing },
  { name: "the wait for a connection can be given up", check: givingUp.theWaitForAConnectionCanBeGivenUp },
  { name: "a running statement can be given up", check: givingUp.aRunningStatementCanBeGivenUp, server: true },
  { name: "nothing is sent after the give-up", check: givingUp.nothingIsSentAfterTheGiveUp },
  { name: "join commits with the caller", check: joining.joinCommitsWithTheCaller },
  {
    name: "join rolls back with the caller, even after its last statements",
    check: joining.joinRollsBackWithTheCallerEvenAfterLast,
  },
  { name: "join leaves the caller's settings alone", check: joining.joinLeavesTheCallersSettingsAlone },
  { name: "an error inside join is the server's own", check: joining.anErrorInJoinIsTheServersOwn },
];

/**
 * The checks that every database adapter must pass, for the test runner of your choice.
 *
 * @example
 * ```ts
 * import test from "node:test";
 * import { kyselyDatabase } from "bookonce/kysely";
 * import { databaseConformance } from "bookonce/testing";
 * import { Kysely, PostgresDialect } from "kysely";
 * import pg from "pg";
 *
 * const checks = databaseConformance({
 *   connections: 4,
 *   async open() {
 *     const pool = new pg.Pool({ connectionString: "postgres://localhost/test", max: 4 });
 *     pool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}));
 *     const db = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });
 *     return {
 *       database: kyselyDatabase(db),
 *       callerTransaction: (work) => db.transaction().execute(work),
 *       close: () => db.destroy(),
 *     };
 *   },
 * });
 * for (const check of checks) void test(check.name, () => check.run());
 * ```
 */
export function databaseConformance<Caller = never>(options: DatabaseConformanceOptions<Caller>): ConformanceCheck[] {
  const { open, connections, singleBackend = false } = options;
  return checks
    .filter((row) => !(singleBackend && row.server === true) && !(connections < 2 && row.two === true))
    .map(({ name, check }) => ({
      name,
      async run() {
        const opened = await open();
        try {
          await runCheck(opened, connections, check);
        } finally {
          await opened.close();
        }
      },
    }));
}
