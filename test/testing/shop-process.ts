// A bot in a process of its own, for the tests that need one: approves everything, thanks for receipts.
import { Bot } from "grammy";

const [apiRoot = "", token = ""] = process.argv.slice(2);
const bot = new Bot(token, { client: { apiRoot } });
bot.command("buy", (ctx) => ctx.replyWithInvoice("Cut", "Cut", "order-1", "XTR", [{ label: "Cut", amount: 100 }]));
bot.on("pre_checkout_query", (ctx) => ctx.answerPreCheckoutQuery(true));
bot.on("message:successful_payment", (ctx) => ctx.reply("Thank you!"));
process.once("SIGTERM", () => void bot.stop());
await bot.start();
