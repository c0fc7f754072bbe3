import { type TelegramApi, TelegramApiError } from "bookonce/telegram";
import type { Salon } from "./support.ts";

/** A press of Pay, and the query it makes. */
export async function pressPay(at: Salon, payer = at.person(), booking = at.reserve(payer)) {
  const made = await booking;
  const paying = payer.pay(await at.link(made));
  const [update] = await at.take();
  if (update === undefined) throw new Error("no query");
  return { payer, booking: made, paying, update, query: JSON.parse(JSON.stringify(update)).pre_checkout_query };
}

export const answers = async (at: Salon) =>
  (await at.fake.calls({ method: "answerPreCheckoutQuery" })).map(({ params }) => params);

/** A port that records what the tests make of each call. */
export function scripted(
  ...script: ((api: TelegramApi, ...call: Parameters<TelegramApi["call"]>) => Promise<unknown>)[]
) {
  return (api: TelegramApi): TelegramApi => ({
    call: (method, params, options) => {
      const next = method === "answerPreCheckoutQuery" ? script.shift() : undefined;
      return next === undefined ? api.call(method, params, options) : next(api, method, params, options);
    },
  });
}

export const tooOld = async (): Promise<never> => {
  const text = "Bad Request: query is too old and response timeout expired or query ID is invalid";
  throw new TelegramApiError("answerPreCheckoutQuery", 400, text);
};
export const lost = async (api: TelegramApi, ...call: Parameters<TelegramApi["call"]>): Promise<never> => {
  await api.call(...call);
  throw new TypeError("fetch failed");
};
export const offline = async (): Promise<never> => {
  throw new TypeError("fetch failed");
};
