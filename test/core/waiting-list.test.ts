import { describe, expect, test } from "vitest";
import { confirm } from "../../src/core/confirm.ts";
import { expire } from "../../src/core/expire.ts";
import { type JoinWaitingList, joinWaitingList } from "../../src/core/join-waiting-list.ts";
import { declineOffer, leaveWaitingList } from "../../src/core/leave-waiting-list.ts";
import { settleEntry } from "../../src/core/settle-entry.ts";
import { applyChanges } from "../../src/core/state.ts";
import { entryStateAt } from "../../src/core/waiting-entry.ts";
import { anEntry, anOffer, context, hour, minute, now, start, world } from "../support/waiting-world.ts";

const w1 = anEntry("w1");
const types = (changes: { events?: readonly { type: string }[] }) => (changes.events ?? []).map((event) => event.type);

describe("B12: what an entry is, whether or not anybody has written it down", () => {
  test.each([
    ["nothing offered", anEntry("w"), [], "waiting"],
    ["a live offer", anEntry("w"), [anOffer(w1)], "offered"],
    ["an offer that ends at this very instant", anEntry("w"), [anOffer(w1, { holdExpiresAt: now })], "waiting"],
    ["an offer that ends a millisecond later", anEntry("w"), [anOffer(w1, { holdExpiresAt: now + 1 })], "offered"],
    ["a declined offer", anEntry("w"), [anOffer(w1, { state: "cancelled" })], "waiting"],
    ["an accepted offer", anEntry("w"), [anOffer(w1, { state: "confirmed", confirmedAt: now })], "used"],
    [
      "an accepted offer, cancelled since",
      anEntry("w"),
      [anOffer(w1, { state: "cancelled", confirmedAt: now })],
      "used",
    ],
    ["a window that ends now", anEntry("w", { window: { start: now - hour, end: now } }), [], "ended"],
    [
      "left, with an offer that was accepted all the same",
      anEntry("w", { state: "left" }),
      [anOffer(w1, { confirmedAt: now })],
      "left",
    ],
    ["its service is off", anEntry("w", { state: "unservable" }), [], "unservable"],
    ["its service is off, an offer is live", anEntry("w", { state: "unservable" }), [anOffer(w1)], "offered"],
  ] as const)("%s", (_, entry, offers, expected) => {
    expect(entryStateAt(entry, offers, now)).toBe(expected);
  });
});

describe("B12: join", () => {
  const asked: JoinWaitingList = {
    customer: "w1",
    service: "cut",
    wants: null,
    quantity: 1,
    window: { start, end: start + 2 * hour },
    durationMs: hour,
    consent: { text: "v1", at: null },
    requestId: null,
    digest: "same",
    actor: "w1",
  };
  const join = (over: Partial<JoinWaitingList>, state = world([])) =>
    joinWaitingList(state, { ...asked, ...over }, context({ maxEntriesPerCustomer: 2 }));

  test("is an entry, and the consent's instant is that of joining", () => {
    const { outcome, changes } = join({});
    expect(outcome).toMatchObject({ outcome: "joined", entry: { state: "waiting", consent: { text: "v1", at: now } } });
    expect(types(changes)).toEqual(["waitlist_joined"]);
  });

  test.each([
    ["the same wish", anEntry("e", { customer: "w1", digest: "same" }), {}, { outcome: "existing" }],
    ["the same wish of somebody else", anEntry("e", { customer: "w2", digest: "same" }), {}, { outcome: "joined" }],
    [
      "the same wish that was left",
      anEntry("e", { customer: "w1", digest: "same", state: "left" }),
      {},
      { outcome: "joined" },
    ],
    [
      "a known request",
      anEntry("e", { customer: "w1", digest: "same", requestId: "r", state: "left" }),
      { requestId: "r" },
      { outcome: "existing" },
    ],
    [
      "a known request with other content",
      anEntry("e", { customer: "w1", digest: "other", requestId: "r" }),
      { requestId: "r" },
      { reason: "idempotency_conflict" },
    ],
  ] as const)("%s", (_, known, over, expected) => {
    expect(join(over, world([known])).outcome).toMatchObject(expected);
  });

  test.each([
    [{ durationMs: 2 * hour + 1 }, "window_too_short"],
    [{ window: { start: now - hour, end: now + hour } }, "in_past"],
  ] as const)("refuses %o: %s", (over, reason) => {
    expect(join(over).outcome).toMatchObject({ outcome: "refused", reason });
  });

  test("has a limit per customer, that counts those in line", () => {
    const mine = ["a", "b", "c"].map((id) => anEntry(id, { customer: "w1" }));
    expect(join({}, world(mine)).outcome).toMatchObject({ reason: "too_many_entries", limit: 2 });
    const left = mine.map((entry, index) => (index === 0 ? entry : { ...entry, state: "left" as const }));
    expect(join({}, world(left)).outcome).toMatchObject({ outcome: "joined" });
  });

  test("after an accepted offer writes the used entry down, so that the new one has room", () => {
    const used = anEntry("e", { customer: "w1", digest: "same" });
    const { outcome, changes } = join(
      {},
      world([used], [anOffer(used, { state: "confirmed", confirmedAt: now - minute })]),
    );
    expect(outcome).toMatchObject({ outcome: "joined" });
    expect(changes.entries?.map((entry) => entry.state)).toEqual(["used", "waiting"]);
  });
});

describe("B12: leave and decline", () => {
  const leave = (state = world([w1]), customer: string | null = "w1") =>
    leaveWaitingList(state, { entryId: "w1", customer, actor: customer ?? "boss" }, context());

  test("leaving closes the entry, and a live offer with it in the same step", () => {
    expect(types(leave().changes)).toEqual(["waitlist_left"]);
    const { outcome, changes } = leave(world([w1], [anOffer(w1)]));
    expect(outcome).toMatchObject({ outcome: "left", released: { state: "cancelled", cancelReason: "left" } });
    expect(types(changes)).toEqual(["booking_cancelled", "waitlist_left"]);
    expect(changes.claims).toMatchObject([{ liveUntil: now }]);
  });

  test("an accepted offer stays; a stranger learns nothing", () => {
    expect(leave(world([w1], [anOffer(w1, { state: "confirmed", confirmedAt: now })])).outcome.outcome).toBe(
      "already_over",
    );
    expect(leave(world([w1]), "w2").outcome).toEqual({ outcome: "refused", reason: "unknown_entry" });
    expect(leave(world([w1]), null).outcome).toMatchObject({ outcome: "left", entry: { closedBy: "boss" } });
  });

  test.each([
    ["live", anOffer(w1), "w1", { outcome: "declined" }],
    ["over", anOffer(w1, { holdExpiresAt: now }), "w1", { outcome: "already_over" }],
    ["accepted", anOffer(w1, { state: "confirmed", confirmedAt: now }), "w1", { reason: "already_confirmed" }],
    ["somebody else's", anOffer(w1), "w2", { reason: "unknown_offer" }],
    ["no offer at all", anOffer(w1, { waitlistEntryId: null }), "w1", { reason: "unknown_offer" }],
  ] as const)("declining what is %s", (_, offer, customer, expected) => {
    const command = { bookingId: offer.id, customer, actor: customer };
    expect(declineOffer(world([w1], [offer]), command, context()).outcome).toMatchObject(expected);
  });

  test("what was left first cannot be accepted, and what was accepted first cannot be left", () => {
    const state = world([w1], [anOffer(w1)]);
    const accept = { bookingId: "offer-w1", customer: "w1", actor: "w1" };
    const left = applyChanges(state, leave(state).changes);
    expect(confirm(left, accept, context()).outcome).toMatchObject({ reason: "cancelled" });
    const accepted = confirm(state, accept, context());
    expect(types(accepted.changes)).toEqual(["booking_confirmed", "waitlist_used"]);
    expect(leave(applyChanges(state, accepted.changes)).outcome.outcome).toBe("already_over");
  });
});

describe("B12: writing down", () => {
  const settle = (entry = w1, offers: Parameters<typeof world>[1] = [], servable = true) =>
    settleEntry(world([entry], offers), { entryId: "w1", servable }, context());

  test.each([
    ["nothing happened", w1, [], true, "kept", []],
    ["used", w1, [anOffer(w1, { state: "confirmed", confirmedAt: now })], true, "used", []],
    ["ended", anEntry("w1", { window: { start: now - hour, end: now } }), [], true, "ended", ["waitlist_ended"]],
    ["service off", w1, [], false, "unservable", ["waitlist_unservable"]],
    ["service off, told already", anEntry("w1", { state: "unservable" }), [], false, "kept", []],
    ["service on again", anEntry("w1", { state: "unservable" }), [], true, "resumed", ["waitlist_resumed"]],
    [
      "ended while the service was off: told before",
      anEntry("w1", { state: "unservable", window: { start: now - hour, end: now } }),
      [],
      false,
      "ended",
      [],
    ],
    ["left", anEntry("w1", { state: "left" }), [], false, "kept", []],
  ] as const)("%s", (_, entry, offers, servable, outcome, events) => {
    const decision = settle(entry, offers, servable);
    expect(decision.outcome.outcome).toBe(outcome);
    expect(types(decision.changes)).toEqual(events);
  });

  test("an entry that is gone is kept as it is: nothing", () => {
    expect(settleEntry(world([]), { entryId: "w1", servable: true }, context())).toEqual({
      outcome: { outcome: "kept" },
      changes: {},
    });
  });

  test("it was used when the offer was accepted, by the customer; it ended when that was seen, by nobody", () => {
    const accepted = anOffer(w1, { state: "confirmed", confirmedAt: now - hour });
    expect(settle(w1, [accepted]).changes.entries).toMatchObject([
      { state: "used", closedAt: now - hour, closedBy: w1.customer },
    ]);
    const over = anEntry("w1", { window: { start: now - hour, end: now } });
    expect(settle(over).changes.entries).toMatchObject([{ state: "ended", closedAt: now, closedBy: "bookonce" }]);
  });

  test("an offer that lapsed is told as that, once, and not as a hold too", () => {
    const state = world([w1], [anOffer(w1, { holdExpiresAt: now })]);
    const lapsed = expire(state, { bookingId: "offer-w1" }, context());
    expect(types(lapsed.changes)).toEqual(["waitlist_lapsed"]);
    const again = expire(applyChanges(state, lapsed.changes), { bookingId: "offer-w1" }, context());
    expect(again.outcome.outcome).toBe("kept");
  });
});
