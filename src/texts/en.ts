import type { Texts } from "./reasons.ts";

export const en: Texts = {
  reasons: {
    already_confirmed: "This offer was accepted before, and the booking stands. To give it up, cancel the booking.",
    already_paid: "This booking is already paid. You do not need to pay again.",
    attended: "This booking has already taken place and cannot be changed.",
    busy: "There was no answer in time. Please try again in a moment.",
    cancelled: "This booking was cancelled. Please choose a time again.",
    closed: "There are no bookings at this time. Please choose another one.",
    conflict: "This payment does not match its order. Please start again.",
    forbidden_by_policy: "It is too late to move or cancel this booking yourself. Please contact us.",
    hold_lapsed:
      "The time was no longer held for you. Please choose a time again; this invoice cannot be paid any more.",
    hold_too_long: "A time cannot be held for so long. Please choose a shorter hold.",
    idempotency_conflict: "This request was sent before with other details. Please start again.",
    in_past: "This time has already begun. Please choose a later one.",
    limit_reached: "There are no more bookings on this day. Please choose another day.",
    no_capacity: "There are not enough free places at this time. Please choose another one.",
    not_confirmed: "This booking is not confirmed yet, so this is not possible now.",
    not_held: "This time is not held for you yet. Please pay, or choose a time again.",
    payment_in_progress: "A payment for this booking is already under way. Please wait a few minutes.",
    payment_required: "This booking has to be paid first.",
    pool_full: "Nobody is free at this time. Please choose another one.",
    price_differs: "The new time has another price. Please cancel this booking and make a new one.",
    quote_changed: "The conditions have changed meanwhile. Please look at them again.",
    slot_taken: "This time has just been taken. Please choose another one.",
    too_early: "This is possible only after the start.",
    too_far: "Bookings are not open for this day yet. Please choose an earlier one.",
    too_many_entries: "You are on the waiting list several times already. Please leave one of them first.",
    too_many_holds: "You already hold several times. Please pay for one or cancel it first.",
    too_soon: "This is too soon to be booked. Please choose a later time.",
    unavailable: "We could not check this booking in time. Nothing was charged; please try again in a moment.",
    unknown_booking: "We do not know this booking. Please choose a time again.",
    unknown_entry: "We do not know this entry of the waiting list.",
    unknown_offer: "This offer no longer stands.",
    unknown_resource: "This can no longer be booked. Please choose something else.",
    unknown_service: "This is no longer offered. Please choose something else.",
    window_too_short: "The time you named is shorter than the service takes. Please name a longer one.",
    wrong_amount: "The price has changed. Please choose a time again.",
    wrong_payer: "This invoice is for somebody else. Please choose a time for yourself.",
  },
  messages: {
    booked: "You are booked: {when}, {duration}. To move or cancel: {manage}",
    cancelled: "Your booking is cancelled: {when}.",
    cancelled_no_refund: "Your booking is cancelled: {when}. It was too late for a refund.",
    cancelled_refund:
      "Your booking is cancelled: {when}. Your {amount} are on the way back; we will tell you when they have arrived.",
    hold_expired:
      "{when} is no longer held for you. To book, please choose a time again; the old invoice cannot be paid.",
    moved: "Your booking is moved: {when}, {duration}. To move or cancel: {manage}",
    payment_late:
      "Your payment came when the time was no longer held for you, so it is not booked. Your {amount} are on the way back; we will tell you when they have arrived.",
    payment_review:
      "Your payment has arrived, but it does not match a booking. A person is looking at it and will write to you.",
    payment_surplus:
      "This booking was already paid, so the second payment bought nothing. Your {amount} are on the way back; we will tell you when they have arrived.",
    refund_needs_attention:
      "Returning your {amount} takes longer than usual. A person is looking at it; nothing is lost.",
    refunded: "Your {amount} have been returned.",
  },
};
