import { viaBookonce } from "./bookonce.ts";
import type { Contestant, ContestantName, ContestantOptions } from "./contestant.ts";
import { plpgsqlFunction } from "./function.ts";
import { serializable } from "./serializable.ts";
import { sixStatements } from "./six-statements.ts";

export const contestants: Readonly<Record<ContestantName, (options: ContestantOptions) => Contestant>> = {
  six: sixStatements,
  function: plpgsqlFunction,
  serializable,
  bookonce: viaBookonce,
};
