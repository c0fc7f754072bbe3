import type { BookingView, Bookonce } from "bookonce";
import type { ReasonCode } from "bookonce/telegram";
import { type CallbackQueryContext, Composer, type Context } from "grammy";
import { pressedTime, presses } from "./buttons.ts";
import type { Config } from "./config.ts";
import { days, refused, show, stopSpinner, times } from "./screens.ts";
import { type Seeker, seekerOf } from "./seeker.ts";
import { textsIn, timeLabel } from "./words.ts";

/** Moving a booking: the days and times that it could have instead, and the move. Its payment stays with it (rule B10). */
export function moving<Caller>(bookonce: Bookonce<Caller>, config: Config): Composer<Context> {
  const composer = new Composer<Context>();

  /** Who shall move what; or she is told why that cannot be, and the answer is null. */
  async function begin(ctx: CallbackQueryContext<Context>, bookingId = ""): Promise<Move | null> {
    await stopSpinner(ctx);
    const seeker = seekerOf(ctx.from);
    const all = await bookonce.bookings.ofCustomer(seeker.customer);
    const booking = all.find(({ id }) => id === bookingId);
    const hindrance = booking === undefined ? "unknown_booking" : hindranceOf(booking);
    if (booking !== undefined && hindrance === null) return { booking, seeker: { ...seeker, replaces: booking.id } };
    await ctx.reply(textsIn(seeker.locale).reasons[hindrance ?? "unknown_booking"]);
    return null;
  }

  composer.callbackQuery(presses.move, async (ctx) => {
    const move = await begin(ctx, ctx.match[1]);
    if (move === null) return;
    const { booking, seeker } = move;
    const heading = `To move ${timeLabel(config, booking.start, seeker.locale)}. It stays yours until you have chosen.`;
    await show(ctx, await days(bookonce, config, seeker, heading));
  });
  composer.callbackQuery(presses.moveDay, async (ctx) => {
    const move = await begin(ctx, ctx.match[1]);
    if (move !== null) await show(ctx, await times(bookonce, config, move.seeker, ctx.match[2] ?? ""));
  });
  composer.callbackQuery(presses.moveTime, async (ctx) => {
    const move = await begin(ctx, ctx.match[1]);
    if (move !== null) await moveTo(bookonce, config, ctx, move, pressedTime(ctx.match[2]));
  });
  return composer;
}

interface Move {
  readonly booking: BookingView;
  readonly seeker: Seeker;
}

/** Only what was paid for moves: anything else is chosen anew. */
function hindranceOf({ state }: BookingView): ReasonCode | null {
  if (state === "confirmed") return null;
  if (state === "cancelled") return "cancelled";
  return state === "expired" ? "hold_lapsed" : "not_confirmed";
}

async function moveTo<Caller>(
  bookonce: Bookonce<Caller>,
  config: Config,
  ctx: CallbackQueryContext<Context>,
  { booking, seeker }: Move,
  start: Date | null,
): Promise<void> {
  const { customer, locale } = seeker;
  const old = timeLabel(config, booking.start, locale);
  const stays = `Your booking stays as it was: ${old}.`;
  if (start === null) {
    await show(ctx, await refused(bookonce, config, seeker, { at: null, reason: "closed", also: stays }));
    return;
  }
  const moved = await bookonce.reschedule({ bookingId: booking.id, customer, start });
  // That it was moved is told from the events, once.
  if (moved.outcome === "rescheduled") return;
  if (moved.outcome === "unchanged") {
    await ctx.reply(`${old} is the time of your booking already.`);
    return;
  }
  const { reason } = moved;
  if (isAboutTheBooking(reason)) await ctx.reply(`${textsIn(locale).reasons[reason]} /paysupport helps.`);
  else await show(ctx, await refused(bookonce, config, seeker, { at: start, reason, also: stays }));
}

/** Whether no other time would help. */
function isAboutTheBooking(reason: ReasonCode): boolean {
  const all: readonly ReasonCode[] = [
    "unknown_booking",
    "hold_lapsed",
    "cancelled",
    "attended",
    "forbidden_by_policy",
    "price_differs",
  ];
  return all.includes(reason);
}
