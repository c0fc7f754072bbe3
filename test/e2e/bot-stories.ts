import { describe } from "vitest";
import { openShop } from "../support/bot-shop.ts";
import type { Delivery } from "../support/bot-world.ts";
import { away } from "./stories/away.ts";
import { buying } from "./stories/buying.ts";
import { late } from "./stories/late.ts";
import { money } from "./stories/money.ts";
import { moving } from "./stories/moving.ts";
import { needingAPerson } from "./stories/needing-a-person.ts";
import { offHours } from "./stories/off-hours.ts";
import { sigterm } from "./stories/sigterm.ts";
import { taken } from "./stories/taken.ts";

/** What the example bot does for its customers, in whichever way its updates come. */
export function botStories(delivery: Delivery, processes: number): void {
  const name = `the example bot, ${delivery}, ${processes} process${processes === 1 ? "" : "es"}`;
  describe(name, { timeout: 180_000 }, () => {
    const shop = openShop(delivery, processes);
    // One after the other, in one shop: they share its days, of eight hours each.
    buying(shop);
    taken(shop);
    offHours(shop);
    moving(shop);
    money(shop);
    needingAPerson(shop);
    late(shop);
    away(shop);
    sigterm(shop);
  });
}
