// Details of a payment are kept for people. Whatever a buyer typed must never be the reason why a payment is not stored, so texts are
// made storable (PostgreSQL holds neither NUL nor half a surrogate pair) and the whole is kept small.

const maxTextLength = 500;
const maxEntries = 50;
const maxDepth = 6;

/** Plain JSON that can be stored, of whatever came: texts cleaned and cut, what has no place in JSON left out. */
export function storable(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return storableText(value);
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "object" || depth >= maxDepth) return undefined;
  if (Array.isArray(value)) {
    return value.slice(0, maxEntries).flatMap((item) => {
      const kept = storable(item, depth + 1);
      return kept === undefined ? [] : [kept];
    });
  }
  return storableRecord(value, depth);
}

/** The same for the details as a whole. */
export function storableRecord(value: object, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, maxEntries)
      .map(([key, inner]) => [storableText(key), storable(inner, depth + 1)])
      .filter(([, inner]) => inner !== undefined),
  );
}

export function storableText(text: string): string {
  return text.replaceAll("\u0000", "").toWellFormed().slice(0, maxTextLength).toWellFormed();
}
