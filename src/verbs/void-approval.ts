import { z } from "zod";
import { isOurToken } from "../core/token.ts";
import { voidApproval as decide, type VoidOutcome } from "../core/void-approval.ts";
import { keys } from "../store/keys.ts";
import { identifier, parseInput, text } from "./input.ts";
import type { Patience } from "./patience.ts";
import { command, type Runner } from "./runner.ts";

/** Which approval, and why it can no longer lead to a charge. */
export interface VoidApprovalInput {
  readonly provider: string;
  readonly account: string;
  readonly checkoutId: string;
  readonly payload: string;
  readonly reason: string;
}

/** `voided`; or `not_standing`: there was no approval under this id, or it was void already. */
export interface VoidApprovalOutcome {
  readonly outcome: "voided" | "not_standing";
}

const schema = z.strictObject({
  provider: identifier,
  account: identifier,
  checkoutId: identifier,
  payload: text(256),
  reason: text(200),
});

const defaultBudgetMs = 5_000;

export async function voidApproval(
  runner: Runner,
  input: VoidApprovalInput,
  options: Patience = {},
): Promise<VoidApprovalOutcome> {
  const { provider, account, checkoutId, payload, reason } = parseInput("voidApproval", schema, input);
  if (!isOurToken(payload)) return { outcome: "not_standing" };
  const key = { provider, account, externalId: checkoutId };
  return runner.run(
    command(
      keys({ tokens: [payload], checkouts: [key] }),
      (state, context) => decide(state, { key, reason }, context),
      (outcome: VoidOutcome) => ({ outcome: outcome.outcome }),
    ),
    options,
    defaultBudgetMs,
  );
}
