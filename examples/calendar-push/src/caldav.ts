/** A calendar collection, spoken to over CalDAV (RFC 4791): one file per booking, named by its UID. */
export interface ExternalCalendar {
  /** Creates or replaces the entry; rejects unless the calendar has it. */
  put(uid: string, file: string): Promise<void>;
  /** Takes the entry away; it is no error when it is gone already. */
  remove(uid: string): Promise<void>;
  /** The UIDs of our entries that are there. */
  list(): Promise<ReadonlySet<string>>;
}

export interface CalDavSettings {
  /** The collection, with a slash at the end. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Marks our entries among the person's own ones: the part of the UID behind the @. */
  readonly domain: string;
}

const patienceMs = 10_000;

export function calDav({ url, user, password, domain }: CalDavSettings): ExternalCalendar {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const send = (path: string, init: RequestInit): Promise<Response> =>
    fetch(new URL(path, url), {
      ...init,
      headers: { authorization, ...init.headers },
      signal: AbortSignal.timeout(patienceMs),
    });
  const expectOk = (response: Response, action: string): void => {
    if (!response.ok) throw new Error(`the calendar answered ${response.status} to ${action}`);
  };
  return {
    async put(uid, file) {
      const headers = { "content-type": "text/calendar; charset=utf-8" };
      expectOk(await send(fileName(uid), { method: "PUT", headers, body: file }), "PUT");
    },
    async remove(uid) {
      const response = await send(fileName(uid), { method: "DELETE" });
      if (response.status !== 404 && response.status !== 410) expectOk(response, "DELETE");
    },
    async list() {
      const response = await send("", { method: "PROPFIND", headers: { depth: "1" } });
      expectOk(response, "PROPFIND");
      const names = [...(await response.text()).matchAll(/<[^>]*href[^>]*>([^<]+)</gi)];
      const uids = names.map(([, href = ""]) => decodeURIComponent(href.split("/").at(-1) ?? "").replace(/\.ics$/, ""));
      return new Set(uids.filter((uid) => uid.endsWith(`@${domain}`)));
    },
  };
}

function fileName(uid: string): string {
  return `${encodeURIComponent(uid)}.ics`;
}
