import type { InvoiceNeeds } from "./invoices.ts";
import type { JsonObject } from "./json.ts";
import type { Person } from "./people.ts";

/** A shipping option as `answerShippingQuery` sends it. */
export interface ShippingOption {
  readonly id: string;
  readonly title: string;
  readonly prices: readonly { readonly label: string; readonly amount: number }[];
}

/** Where everybody here lives. */
export function shippingAddress(): JsonObject {
  return {
    country_code: "UZ",
    state: "",
    city: "Tashkent",
    street_line1: "Amir Temur 1",
    street_line2: "",
    post_code: "100000",
  };
}

/** The parts of a pre-checkout query and a receipt that only provider payments have; nothing for Stars. */
export function orderDetails(needs: InvoiceNeeds, person: Person, shippingOption: string | undefined): JsonObject {
  const info: JsonObject = {
    ...(needs.name ? { name: person.firstName } : {}),
    ...(needs.phone ? { phone_number: "998901234567" } : {}),
    ...(needs.email ? { email: `user${person.id}@example.com` } : {}),
    ...(needs.shippingAddress ? { shipping_address: shippingAddress() } : {}),
  };
  return {
    ...(shippingOption === undefined ? {} : { shipping_option_id: shippingOption }),
    ...(Object.keys(info).length === 0 ? {} : { order_info: info }),
  };
}
