import { z } from "zod";
import type { Engine } from "../engine/engine.ts";
import { toPayment } from "../store/mapping.ts";
import type { Store } from "../store/store.ts";
import type { PaymentRow } from "../store/tables.ts";
import { identifier, parseInput, uuid } from "./input.ts";
import { read } from "./reader.ts";
import { type PaymentView, viewPayment } from "./views.ts";

/** Reads of charges, for support: a buyer sends the charge id from the receipt. */
export interface Payments {
  /** Payments by charge id, by booking, or by the `paymentId` that an event of a payment or refund names; oldest first, 100 at most. */
  find(filter: {
    readonly chargeId?: string;
    readonly bookingId?: string;
    readonly paymentId?: string;
  }): Promise<readonly PaymentView[]>;
  /** What was charged and what was returned at one account, by currency, in minor units: to compare with the provider's own books. */
  totals(filter: { readonly provider: string; readonly account: string }): Promise<readonly PaymentTotals[]>;
}

export interface PaymentTotals {
  readonly currency: string;
  readonly charges: number;
  readonly charged: number;
  readonly refunds: number;
  readonly returned: number;
}

const schema = z
  .strictObject({ chargeId: identifier.optional(), bookingId: uuid.optional(), paymentId: uuid.optional() })
  .refine(
    ({ chargeId, bookingId, paymentId }) => (chargeId ?? bookingId ?? paymentId) !== undefined,
    "give chargeId, bookingId or paymentId",
  );

const totalsSchema = z.strictObject({ provider: identifier, account: identifier });

export function payments(engine: Engine, store: Store): Payments {
  return {
    async totals(filter) {
      return read<PaymentTotals[]>(engine, store.lookups.totals(parseInput("payments.totals", totalsSchema, filter)));
    },
    async find(filter) {
      const { chargeId, bookingId, paymentId } = parseInput("payments.find", schema, filter);
      const statement = store.lookups.payments({
        ...(chargeId === undefined ? {} : { chargeId }),
        ...(bookingId === undefined ? {} : { bookingId }),
        ...(paymentId === undefined ? {} : { id: paymentId }),
      });
      return (await read<PaymentRow[]>(engine, statement)).map((row) => viewPayment(toPayment(row)));
    },
  };
}
