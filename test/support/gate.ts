import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A moment in the traffic of a gate: a request that fits, on its way in or with its answer on the way back. */
export interface Trap {
  readonly matches: (path: string, body: string) => boolean;
  /** `"before"`: the request is kept and never forwarded. `"after"`: it was answered, and the answer is kept. `"pass"`: only noticed. */
  readonly when: "before" | "after" | "pass";
}

/** An HTTP proxy in front of one server, in which a test can wait for a moment and hold it. */
export interface Gate {
  readonly url: string;
  readonly port: number;
  /** Resolves when the moment has come. A trap that is set replaces the one before. */
  trap(trap: Trap): Promise<void>;
  close(): Promise<void>;
}

export async function startGate(target: { readonly port: number }): Promise<Gate> {
  let armed: (Trap & { readonly spring: () => void }) | undefined;
  const springs = (when: Trap["when"], path: string, body: string): boolean => {
    if (armed?.when !== when || !armed.matches(path, body)) return false;
    armed.spring();
    armed = undefined;
    return when !== "pass";
  };
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const path = incoming.url ?? "";
    const body = await read(incoming);
    const text = body.toString();
    springs("pass", path, text);
    if (springs("before", path, text)) return;
    const { method, headers } = incoming;
    const forwarded = request({ host: "127.0.0.1", port: target.port, path, method, headers, agent: false });
    // Whoever hangs up here hangs up there: a poll of a dead process must not go on.
    outgoing.on("close", () => forwarded.destroy());
    forwarded.on("error", () => outgoing.destroy());
    forwarded.on("response", (response) => {
      read(response)
        .then((answer) => {
          if (springs("after", path, text)) return;
          outgoing.writeHead(response.statusCode ?? 502, response.headers);
          outgoing.end(answer);
        })
        .catch(() => outgoing.destroy());
    });
    forwarded.end(body);
  };
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    trap: (trap) =>
      new Promise((resolve) => {
        armed = { ...trap, spring: resolve };
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
