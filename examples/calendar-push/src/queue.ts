import type { Sql } from "./state.ts";

/** Bookings to look at again. Only ids: what to push is read when it is pushed, so that the newest state always wins. */
export interface PushQueue {
  add(bookingId: string): Promise<void>;
  /** Hands out a booking that is due and hides it for a minute; null when nothing is due. */
  take(): Promise<string | null>;
  /** Done, unless it was added again meanwhile. */
  done(bookingId: string): Promise<void>;
  /** Did not work: again after 2, 4, 8 … seconds, at most an hour. */
  failed(bookingId: string): Promise<void>;
}

export async function pushQueue(sql: Sql): Promise<PushQueue> {
  await sql.query("create schema if not exists calendar_push");
  await sql.query(`create table if not exists calendar_push.queue (
    booking_id uuid primary key, due_at timestamptz not null default now(), attempts integer not null default 0, taken boolean not null default false)`);
  return {
    async add(bookingId) {
      await sql.query(
        `insert into calendar_push.queue (booking_id) values ($1)
         on conflict (booking_id) do update set due_at = now(), attempts = 0, taken = false`,
        [bookingId],
      );
    },
    async take() {
      const { rows } =
        await sql.query(`update calendar_push.queue set attempts = attempts + 1, due_at = now() + interval '1 minute', taken = true
        where booking_id = (select booking_id from calendar_push.queue where due_at <= now() order by due_at for update skip locked limit 1)
        returning booking_id`);
      const id = rows[0]?.["booking_id"];
      return typeof id === "string" ? id : null;
    },
    async done(bookingId) {
      await sql.query("delete from calendar_push.queue where booking_id = $1 and taken", [bookingId]);
    },
    async failed(bookingId) {
      await sql.query(
        `update calendar_push.queue set due_at = now() + least(3600, power(2, least(attempts, 20))) * interval '1 second'
         where booking_id = $1 and taken`,
        [bookingId],
      );
    },
  };
}
