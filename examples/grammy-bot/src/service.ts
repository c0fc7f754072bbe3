import type { Bookonce } from "bookonce";
import type { Config } from "./config.ts";

/** The consultant is the one resource of this bot, and a consultation with her is all that it sells. */
const resource = "consultant";
export const service = "consultation";

/**
 * Says what is offered, and when. The same rules decide for the list of free times, for the invoice and for a move (rule B16): a button is
 * only a request, and one for a time that is not offered is refused. Every process says the same, at its start.
 */
export async function offerService<Caller>(bookonce: Bookonce<Caller>, config: Config): Promise<void> {
  const { consultant, zone, hours, workDays, daysOff, minutes, stars, noticeHours, daysAhead } = config;
  const open = [{ from: oClock(hours.from), to: oClock(hours.to) }];
  await bookonce.resources.put({ id: resource, name: consultant });
  await bookonce.services.put({
    id: service,
    name: `Consultation with ${consultant}`,
    duration: { minutes },
    resources: [resource],
    price: { amount: stars, currency: "XTR" },
    times: {
      schedule: { zone, weekly: Object.fromEntries(workDays.map((day) => [day, open])), daysOff },
      grid: { stepMinutes: minutes, anchor: "window" },
      notice: { hours: noticeHours },
      horizon: { days: daysAhead },
    },
  });
}

function oClock(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}
