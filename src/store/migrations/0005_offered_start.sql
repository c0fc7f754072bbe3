-- bookonce 0005: an offer of the waiting list remembers the time that was offered, for the booking may be moved.

alter table {{schema}}.bookings add column offered_start timestamptz;

update {{schema}}.bookings b set offered_start = coalesce(
    (select (e.data -> 'from' ->> 'start')::timestamptz from {{schema}}.events e
      where e.booking_id = b.id and e.type = 'booking_rescheduled' order by e.id limit 1),
    b.starts_at)
  where waitlist_entry_id is not null;
