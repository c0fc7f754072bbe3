import type { Import } from "./imports.ts";

/**
 * The rooms of the house, from the ground up, and what each may import besides itself. A room is the longest of these paths that a file
 * lies under. A `types:` entry allows type-only imports, which are gone at run time.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  "src/core": [],
  "src/calendar": [],
  // Texts are keyed by the reasons that the verbs' outcomes can carry.
  "src/texts": ["types:src/core", "types:src/calendar", "types:src/verbs", "src/core/error.ts"],
  "src/database": ["src/core/error.ts"],
  "src/store": ["src/core", "src/database"],
  "src/engine": ["src/core", "src/store", "src/database"],
  // Wall times become instants here, on the way in and out; the core gets the calendar's judgement as a function.
  "src/verbs": ["src/core", "src/calendar", "src/engine", "src/store", "src/database"],
  "src/bookonce.ts": ["src/core", "src/database", "src/store", "src/engine", "src/verbs"],
  "src/index.ts": [
    "src/bookonce.ts",
    "src/core",
    "src/calendar",
    "src/texts",
    "types:src/database",
    "types:src/store",
    "types:src/verbs",
    "src/database/query.ts",
  ],
  // A provider is a decoder and encoder around the verbs: it has them handed in, and never sees a table.
  "src/providers": [
    "types:src/bookonce.ts",
    "types:src/index.ts",
    "types:src/verbs",
    "types:src/core",
    "src/core/error.ts",
    "src/core/token.ts",
    "src/core/money.ts",
    "src/texts",
  ],
  "src/redis": ["types:src/bookonce.ts", "types:src/index.ts", "types:src/verbs", "src/core/error.ts"],
  "src/cli": ["src/bookonce.ts", "types:src/verbs", "src/core/error.ts", "src/database"],
  // The fake Telegram knows Telegram, not us: it tests any bot.
  "src/testing/telegram": [],
  "src/testing": [
    "src/testing/telegram",
    "src/bookonce.ts",
    "types:src/verbs",
    "src/core",
    "src/database",
    "src/store",
  ],
};

/** Packages that a room may import; a room without an entry may import any. Node's own modules are named `node:`. */
const packages: Readonly<Record<string, readonly string[]>> = {
  "src/core": [],
  "src/calendar": ["temporal-polyfill", "ical-generator", "zod"],
  "src/texts": [],
  "src/database": ["pg", "kysely", "@electric-sql/pglite", "node:"],
  "src/store": ["kysely", "node:"],
  "src/engine": ["node:"],
  // No SQL: that is the store's.
  "src/verbs": ["zod", "node:"],
  "src/bookonce.ts": [],
  "src/index.ts": [],
  "src/providers": ["zod", "node:"],
};

export function roomOf(file: string): string | undefined {
  return Object.keys(rooms)
    .filter((room) => lies(file, room))
    .sort((left, right) => right.length - left.length)[0];
}

/** What is wrong with an import, in one sentence; undefined when nothing is. */
export function complaint(arrow: Import): string | undefined {
  const room = roomOf(arrow.from);
  const where = `${arrow.from}:${arrow.line}`;
  if (room === undefined) return `${where} lies in no room: add it to test/architecture/rooms.ts`;
  if (arrow.isPackage) {
    const allowed = packages[room];
    if (allowed === undefined || allowed.some((name) => isPart(arrow.to, name))) return undefined;
    return `${where} ${room} → ${arrow.to}: this room may import ${allowed.join(", ") || "no package"}`;
  }
  const target = roomOf(arrow.to);
  if (target === room) return undefined;
  const allowed = rooms[room] ?? [];
  const fits = allowed.some((entry) =>
    entry.startsWith("types:") ? arrow.typesOnly && reaches(entry.slice(6), arrow.to) : reaches(entry, arrow.to),
  );
  if (fits) return undefined;
  return `${where} ${room} → ${arrow.to}${arrow.typesOnly ? " (types)" : ""}: this room may import ${allowed.join(", ") || "nothing of ours"}`;
}

// An entry allows its own room, not a room that lies inside it.
function reaches(entry: string, file: string): boolean {
  return lies(file, entry) && (roomOf(file) === entry || roomOf(entry) === roomOf(file));
}

function lies(file: string, path: string): boolean {
  return file === path || file.startsWith(`${path}/`);
}

function isPart(specifier: string, name: string): boolean {
  return name === "node:" ? specifier.startsWith(name) : lies(specifier, name);
}
