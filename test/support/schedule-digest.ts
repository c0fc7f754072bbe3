import type { BookingView } from "bookonce";
import type { Booking } from "../../src/core/model.ts";

type Names = readonly { readonly model: string; readonly id: string }[];

/** What an answer says, in words that the database's side and the model's both have. */
export function digestOf(answer: object, names: Names): unknown {
  const {
    booking,
    refund,
    terms,
    before: _before,
    replaced,
    payment: _payment,
    earliest,
    latest,
    agreed: _agreed,
    entry: _entry,
    released,
    asked: _asked,
    ...rest
  } = answer as Record<string, unknown>;
  return {
    ...rest,
    ...(earliest !== undefined && { earliest: Number(earliest) }),
    ...(latest !== undefined && { latest: Number(latest) }),
    ...("holdExpiresAt" in rest && { holdExpiresAt: Number(rest["holdExpiresAt"]) }),
    ...(refund !== undefined && { refund: refund !== null }),
    ...(terms !== undefined && { terms }),
    ...(replaced !== undefined && { replaced: replaced !== null }),
    ...(released !== undefined && { released: released !== null }),
    ...(booking !== undefined &&
      booking !== null && { booking: digestOfBooking(booking as Booking | BookingView, names) }),
    ...(booking === null && { booking }),
    // Left out, or not there: the same.
    resource: rest["resource"] ?? null,
  };
}

export function digestOfBooking(booking: Booking | BookingView, names: Names): unknown {
  const start = "interval" in booking ? booking.interval.start : booking.start.getTime();
  const { id, customer, version, resources, wants, attendance, holdExpiresAt } = booking;
  const name = names.find((one) => one.id === id || one.model === id)?.model ?? "new";
  return [name, customer, version, start, resources, wants, attendance, Number(holdExpiresAt)];
}
