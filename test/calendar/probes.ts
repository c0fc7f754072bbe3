/** A wall time, and the instants it may mean (UTC). `edge`: for a gap, the instant of the change. */
export interface Probe {
  readonly what: string;
  readonly wall: string;
  readonly zone: string;
  readonly earlier: string;
  readonly later: string;
  readonly edges: "gap" | "fold" | "plain";
  readonly edge?: string;
}

export const probes: readonly Probe[] = [
  {
    what: "gap",
    wall: "2026-03-08 02:30",
    zone: "America/New_York",
    earlier: "2026-03-08T06:30",
    later: "2026-03-08T07:30",
    edges: "gap",
    edge: "2026-03-08T07:00",
  },
  {
    what: "fold",
    wall: "2026-11-01 01:30",
    zone: "America/New_York",
    earlier: "2026-11-01T05:30",
    later: "2026-11-01T06:30",
    edges: "fold",
  },
  {
    what: "gap",
    wall: "2026-03-29 01:30",
    zone: "Europe/London",
    earlier: "2026-03-29T00:30",
    later: "2026-03-29T01:30",
    edges: "gap",
    edge: "2026-03-29T01:00",
  },
  {
    what: "fold",
    wall: "2026-10-25 01:30",
    zone: "Europe/London",
    earlier: "2026-10-25T00:30",
    later: "2026-10-25T01:30",
    edges: "fold",
  },
  {
    what: "30-minute gap",
    wall: "2026-10-04 02:15",
    zone: "Australia/Lord_Howe",
    earlier: "2026-10-03T15:15",
    later: "2026-10-03T15:45",
    edges: "gap",
    edge: "2026-10-03T15:30",
  },
  {
    what: "30-minute fold",
    wall: "2026-04-05 01:45",
    zone: "Australia/Lord_Howe",
    earlier: "2026-04-04T14:45",
    later: "2026-04-04T15:15",
    edges: "fold",
  },
  {
    what: "midnight gap",
    wall: "2018-11-04 00:30",
    zone: "America/Sao_Paulo",
    earlier: "2018-11-04T02:30",
    later: "2018-11-04T03:30",
    edges: "gap",
    edge: "2018-11-04T03:00",
  },
  {
    what: "midnight gap",
    wall: "2014-05-16 00:00",
    zone: "Africa/Cairo",
    earlier: "2014-05-15T21:00",
    later: "2014-05-15T22:00",
    edges: "gap",
    edge: "2014-05-15T22:00",
  },
  {
    what: "midnight fold",
    wall: "2026-11-01 00:30",
    zone: "America/Havana",
    earlier: "2026-11-01T04:30",
    later: "2026-11-01T05:30",
    edges: "fold",
  },
  {
    what: "skipped day",
    wall: "2011-12-30 12:00",
    zone: "Pacific/Apia",
    earlier: "2011-12-29T22:00",
    later: "2011-12-30T22:00",
    edges: "gap",
    edge: "2011-12-30T10:00",
  },
  {
    what: "quarter-hour offset",
    wall: "2026-06-01 12:00",
    zone: "Asia/Kathmandu",
    earlier: "2026-06-01T06:15",
    later: "2026-06-01T06:15",
    edges: "plain",
  },
  {
    what: "quarter-hour fold",
    wall: "2026-04-05 03:00",
    zone: "Pacific/Chatham",
    earlier: "2026-04-04T13:15",
    later: "2026-04-04T14:15",
    edges: "fold",
  },
  {
    what: "half-hour offset",
    wall: "2026-12-31 23:30",
    zone: "Asia/Kolkata",
    earlier: "2026-12-31T18:00",
    later: "2026-12-31T18:00",
    edges: "plain",
  },
];
