import fc from "fast-check";
import { expect, test } from "vitest";
import type { Claim } from "../../src/core/model.ts";
import { peak } from "../../src/core/occupancy.ts";
import { noBuffers } from "../support/worlds.ts";

const claim = (start: number, length: number, quantity: number): Claim => ({
  bookingId: "b",
  number: 1,
  resource: "hall",
  holder: "b",
  exclusive: false,
  quantity,
  sessionCapacity: null,
  interval: { start, end: start + length },
  buffers: noBuffers,
  liveFrom: 0,
  liveUntil: null,
});

test("C4: the peak is the most that is taken at any one moment of the interval, as counting every moment shows", () => {
  const claims = fc.array(
    fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 4 })).map((one) => claim(...one)),
    { maxLength: 8 },
  );
  const span = fc
    .tuple(fc.nat(20), fc.integer({ min: 1, max: 10 }))
    .map(([start, length]) => ({ start, end: start + length }));
  fc.assert(
    fc.property(claims, span, (all, interval) => {
      const overlapping = all.filter(({ interval: own }) => own.start < interval.end && interval.start < own.end);
      const moments = Array.from({ length: interval.end - interval.start }, (_, index) => interval.start + index);
      const taken = moments.map((moment) =>
        overlapping
          .filter(({ interval: own }) => own.start <= moment && moment < own.end)
          .reduce((sum, { quantity }) => sum + quantity, 0),
      );
      expect(peak(overlapping, interval)).toBe(Math.max(...taken));
    }),
  );
});
