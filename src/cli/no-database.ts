import type { Database } from "../database/port.ts";

const unreachable = (): never => {
  throw new Error("This command works without a database.");
};

/** For what needs no connection, such as printing the SQL. */
export const noDatabase: Database = { transaction: async () => unreachable(), join: unreachable };
