import type { z } from "zod";
import { badRequest } from "./bot-api-error.ts";
import { isObject, parseJson } from "./json.ts";

/** A file that came in a multipart body. */
export interface UploadedFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

/**
 * The parameters of one call, read the way the Bot API server reads them: from the query string and a JSON, urlencoded or
 * multipart body; numbers and flags may be text; numbers out of range are clamped where the server clamps them.
 */
export class Params {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #files: ReadonlyMap<string, UploadedFile>;

  constructor(values: Readonly<Record<string, unknown>>, files: ReadonlyMap<string, UploadedFile> = new Map()) {
    this.#values = values;
    this.#files = files;
  }

  get values(): Readonly<Record<string, unknown>> {
    return this.#values;
  }

  get names(): string[] {
    return [...Object.keys(this.#values), ...this.#files.keys()];
  }

  has(name: string): boolean {
    const value = this.#values[name];
    return value !== undefined && value !== null;
  }

  /** The text of a parameter; empty when it is missing. */
  string(name: string): string {
    const value = this.#values[name];
    if (typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    return "";
  }

  requiredString(name: string): string {
    const value = this.string(name);
    if (value === "") throw badRequest(`parameter "${name}" is required`);
    return value;
  }

  /** Clamped into the range; a text that is no number counts as zero, as the server's own parser has it. */
  integer(name: string, fallback: number, min: number, max: number): number {
    if (!this.has(name)) return Math.min(Math.max(fallback, min), max);
    const number = Number.parseInt(this.string(name), 10);
    return Math.min(Math.max(Number.isNaN(number) ? 0 : number, min), max);
  }

  boolean(name: string): boolean {
    return ["true", "yes", "1"].includes(this.string(name).toLowerCase());
  }

  userId(): number {
    const text = this.string("user_id");
    const id = /^\d+$/.test(text) ? Number(text) : 0;
    if (id <= 0 || !Number.isSafeInteger(id)) throw badRequest("invalid user_id specified");
    return id;
  }

  /** A structured parameter: an object or array, or the JSON text of one. Undefined when missing. */
  json<T>(name: string, schema: z.ZodType<T>): T | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null || value === "") return undefined;
    const parsed = schema.safeParse(typeof value === "string" ? parseJson(value) : value);
    if (!parsed.success) throw badRequest(`can't parse ${name} JSON object`);
    return parsed.data;
  }

  /** A file sent under this name, or under the name that `attach://` points to. */
  file(name: string): UploadedFile | undefined {
    const reference = this.string(name);
    return this.#files.get(reference.startsWith("attach://") ? reference.slice("attach://".length) : name);
  }
}

/** Reads a call's parameters from its HTTP request. */
export async function readParams(request: Request): Promise<Params> {
  const values: Record<string, unknown> = Object.fromEntries(new URL(request.url).searchParams);
  const files = new Map<string, UploadedFile>();
  if (request.method !== "POST") return new Params(values);
  const type = request.headers.get("content-type") ?? "";
  if (type.includes("multipart/form-data")) {
    for (const [name, value] of await request.formData()) {
      if (typeof value === "string") values[name] = value;
      else files.set(name, { name: value.name, type: value.type, size: value.size });
    }
  } else if (type.includes("application/x-www-form-urlencoded")) {
    Object.assign(values, Object.fromEntries(new URLSearchParams(await request.text())));
  } else {
    const text = await request.text();
    const body = text.trim() === "" ? {} : parseJson(text);
    if (!isObject(body)) throw badRequest("can't parse request JSON object");
    Object.assign(values, body);
  }
  return new Params(values, files);
}
