import type { BotAccount } from "../bot-account.ts";
import type { Params } from "../params.ts";
import type { World } from "../world.ts";

/** One call of a Bot API method. */
export interface MethodCall {
  readonly world: World;
  readonly bot: BotAccount;
  readonly params: Params;
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal;
  /** Runs once the reply has left, or at once when there will be none. */
  afterReply(action: () => void): void;
}

/** A result together with the `description` that some methods add to a success. */
export class Described {
  readonly result: unknown;
  readonly description: string;

  constructor(result: unknown, description: string) {
    this.result = result;
    this.description = description;
  }
}

/** A method of the Bot API. */
export interface Method {
  /** The name as Telegram spells it. */
  readonly name: string;
  /** For payment methods: every name it knows. Strict mode refuses others, as a typing error would be lost silently. */
  readonly parameters?: readonly string[];
  /** Names that strict mode insists on, although the server would take a default. */
  readonly required?: readonly string[];
  run(call: MethodCall): unknown;
}
