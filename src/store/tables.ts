import type { Generated } from "kysely";

/**
 * The tables as SQL sees them (snake_case). Rows come in and go out as JSON, so every column here has the type it has in JSON: an
 * instant is ISO 8601 text, a bigint a safe integer. `mapping.ts` turns rows into the core's model and back; nothing else knows both.
 */
export interface Tables {
  resources: ResourceRow;
  services: ServiceRow;
  bookings: BookingRow;
  claims: ClaimRow;
  checkouts: CheckoutRow;
  payments: PaymentRow;
  refunds: RefundRow;
  waiting_list: WaitingListRow;
  events: EventRow;
  cursors: CursorRow;
}

export interface ResourceRow {
  id: string;
  name: string;
  active: boolean;
  kind: "exclusive" | "counted" | "pool";
  capacity: number;
  members: readonly string[];
  fairness: "least_loaded" | "least_recent";
  last_chosen_at: string | null;
  rules: unknown;
  created_at: string;
}

export interface ServiceRow {
  id: string;
  name: string;
  active: boolean;
  definition: unknown;
  created_at: string;
}

export interface BookingRow {
  id: string;
  token: string;
  customer: string;
  payer: string | null;
  state: "pending" | "held" | "confirmed" | "expired" | "cancelled";
  wanted_ids: readonly string[];
  quantities: readonly number[];
  resource_ids: readonly string[];
  starts_at: string;
  ends_at: string;
  buffer_before_ms: number;
  buffer_after_ms: number;
  day_starts_at: string;
  day_ends_at: string;
  zone: string | null;
  wall_date: string | null;
  wall_time: string | null;
  zone_data: string | null;
  service_id: string | null;
  session_id: string | null;
  session_capacity: number | null;
  price_amount: number | null;
  price_currency: string | null;
  hold_expires_at: string | null;
  payable_until: string | null;
  policy: unknown;
  version: number;
  request_id: string | null;
  request_digest: string;
  title: string | null;
  data: unknown;
  created_at: string;
  confirmed_at: string | null;
  cancelled_at: string | null;
  cancelled_by: string | null;
  cancel_reason: string | null;
  attendance: "attended" | "no_show" | null;
  waitlist_entry_id: string | null;
  offered_start: string | null;
}

export interface ClaimRow {
  booking_id: string;
  number: number;
  resource_id: string;
  session_id: string | null;
  exclusive: boolean;
  quantity: number;
  session_capacity: number | null;
  starts_at: string;
  ends_at: string;
  buffer_before_ms: number;
  buffer_after_ms: number;
  live_from: string;
  live_until: string | null;
}

export interface CheckoutRow {
  provider: string;
  account: string;
  external_id: string;
  token: string;
  payer: string;
  amount: number;
  currency: string;
  booking_id: string | null;
  decision: "approved" | "declined";
  reason: string | null;
  decided_at: string;
  voided_at: string | null;
  void_reason: string | null;
}

export interface PaymentRow {
  id: string;
  provider: string;
  account: string;
  external_id: string;
  token: string;
  payer: string;
  amount: number;
  currency: string;
  booking_id: string | null;
  disposition: "booked" | "late" | "surplus" | "mismatch" | "unmatched";
  reason: string | null;
  received_at: string;
  review: "open" | "refunded" | "attached" | "closed" | null;
  reviewed_by: string | null;
  reviewed_at: string | null;
  note: string | null;
  details: unknown;
}

export interface RefundRow {
  id: string;
  payment_id: string;
  booking_id: string | null;
  amount: number;
  currency: string;
  reason: string;
  state: "pending" | "sending" | "unconfirmed" | "completed" | "needs_attention";
  attempts: number;
  requested_at: string;
  due_at: string;
  lease_token: string | null;
  lease_until: string | null;
  last_error: string | null;
  completed_at: string | null;
  completed_by: string | null;
  note: string | null;
}

export interface WaitingListRow {
  id: string;
  /** The place in line. */
  number: Generated<number>;
  customer: string;
  service_id: string;
  wants: unknown;
  quantity: number;
  window_from: string;
  window_to: string;
  state: "waiting" | "unservable" | "used" | "left" | "ended";
  consent_text: string;
  consent_at: string;
  request_id: string | null;
  digest: string;
  joined_at: string;
  closed_at: string | null;
  closed_by: string | null;
}

export interface EventRow {
  id: Generated<number>;
  booking_id: string | null;
  type: string;
  at: string;
  actor: string;
  version: number | null;
  data: unknown;
}

export interface CursorRow {
  name: string;
  value: unknown;
  updated_at: string;
}
