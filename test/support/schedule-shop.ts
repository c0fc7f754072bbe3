import type { ReminderRule, ServiceView, WantInput } from "bookonce";
import type { Resource } from "../../src/core/model.ts";
import type { Shop } from "./fixtures.ts";

/** What one can ask for: a service, perhaps on other resources, or resources for so long. */
export interface Wish {
  readonly service?: string;
  readonly resources?: readonly WantInput[];
  readonly minutes?: number;
  readonly after?: number;
}

/** One reminder, an hour before, or up to half an hour later than that. */
export const reminderRules: readonly ReminderRule[] = [
  { kind: "hour", before: { minutes: 60 }, late: { minutes: 30 } },
];
/** Who wants it. */
export const reminded: ReadonlySet<string> = new Set(["customer-0", "customer-1", "customer-3"]);

export const wishes: readonly Wish[] = [
  { resources: ["anna"], minutes: 60 },
  { resources: ["boris"], minutes: 45, after: 15 },
  { resources: ["room", "anna"], minutes: 60 },
  { resources: ["hall"], minutes: 90 },
  { resources: ["hall"], minutes: 45 },
  { resources: ["masters"], minutes: 60 },
  { resources: ["crew"], minutes: 30 },
  { resources: ["crew", "room"], minutes: 30 },
  { resources: ["crew", { resource: "hall", quantity: 2 }], minutes: 60 },
  { resources: ["crew", "masters"], minutes: 45 },
  { resources: ["crew", "anna"], minutes: 45 },
  { service: "cut" },
  { service: "cut", resources: ["anna"] },
  { service: "duo" },
  { service: "yoga" },
  { service: "yoga" },
  { service: "choir" },
  { service: "visit" },
  { service: "visit" },
  { service: "daily" },
  { service: "daily" },
  { resources: ["nobody"], minutes: 60 },
  { resources: ["off", "anna"], minutes: 60 },
];

/** What one can wait for. */
export const waits: readonly (Wish & { readonly service: string })[] = [
  { service: "cut" },
  { service: "cut", resources: ["anna"] },
  { service: "duo" },
  { service: "yoga" },
  { service: "choir" },
  { service: "visit" },
  { service: "daily" },
  { service: "daily" },
  { service: "nothing" },
];

/** The shop in which all of it happens. */
export async function furnish(
  shop: Shop,
): Promise<{ resources: readonly Resource[]; services: readonly ServiceView[] }> {
  for (const id of ["anna", "boris", "room"]) await shop.resources.put({ id });
  await shop.resources.put({ id: "hall", kind: "counted", capacity: 4 });
  await shop.resources.put({ id: "off", active: false });
  await shop.resources.put({ id: "masters", kind: "pool", members: ["boris", "anna"], fairness: "least_loaded" });
  await shop.resources.put({ id: "crew", kind: "pool", members: ["anna", "boris"], fairness: "least_recent" });
  const open = [
    { from: "08:00", to: "13:00" },
    { from: "13:30", to: "20:00" },
  ];
  const times = {
    schedule: { zone: "Asia/Tashkent", weekly: { monday: open, tuesday: open } },
    grid: { stepMinutes: 15, anchor: "window" },
    notice: { minutes: 10 },
  } as const;
  const price = { amount: 501, currency: "XTR" };
  const hour = { minutes: 60 };
  const after = { after: { minutes: 15 } };
  await shop.services.put({ id: "cut", duration: hour, resources: ["masters"], buffers: after, price, times });
  await shop.services.put({
    id: "duo",
    duration: { minutes: 45 },
    resources: ["room", "anna"],
    price: { ...price, amount: 301 },
  });
  await shop.services.put({
    id: "yoga",
    duration: hour,
    resources: ["room"],
    buffers: after,
    session: { capacity: 3 },
    price,
  });
  await shop.services.put({ id: "choir", duration: hour, resources: ["masters"], session: { capacity: 2 } });
  await shop.services.put({
    id: "visit",
    duration: { minutes: 90 },
    resources: ["hall"],
    limits: { perDayPerCustomer: 2 },
  });
  await shop.services.put({
    id: "daily",
    duration: { minutes: 30 },
    resources: ["anna"],
    limits: { perDayPerResource: 3, perDayPerCustomer: 2 },
  });
  for (const customer of reminded) await shop.reminders.optIn({ customer, source: "the test" });
  await shop.reminders.optOut({ customer: "customer-2", source: "the test" });
  return { resources: await shop.resources.list(), services: await shop.services.list() };
}
