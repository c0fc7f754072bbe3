import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy in front of a server, for the ways in which a network fails without saying so. */
export interface TcpProxy {
  /** The same address, through the proxy. */
  through(url: string): string;
  /** From now on nothing passes on the connections there are; with `"new too"`, nor on those to come, which are accepted all the same. */
  swallow(which: "open ones" | "new too"): void;
  /** From now on everything that the server says arrives so many milliseconds later, in its order. */
  delay(milliseconds: number): void;
  /** Lets new connections through again; the swallowed ones stay silent. */
  heal(): void;
  /**
   * Waits for a client to say this, and then keeps it from being heard (what the server says still arrives), or its answer from
   * arriving. Resolves when that has happened.
   */
  stall(text: string, which: "unheard" | "unanswered"): Promise<void>;
  close(): Promise<void>;
}

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  silent: boolean;
  /** What no longer passes. */
  stalled: "unheard" | "unanswered" | null;
}

export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(serverUrl);
  const connections = new Set<Connection>();
  let swallowNew = false;
  let delayMs = 0;
  let stall:
    | { readonly text: string; readonly which: "unheard" | "unanswered"; readonly happened: () => void }
    | undefined;

  const listener = createServer((client) => {
    const server = connect({ host: hostname, port: Number(port) });
    const connection: Connection = { client, server, silent: swallowNew, stalled: null };
    connections.add(connection);
    client.on("data", (chunk: Buffer) => {
      if (stall !== undefined && chunk.includes(stall.text)) {
        connection.stalled = stall.which;
        stall.happened();
        stall = undefined;
      }
      if (!connection.silent && connection.stalled !== "unheard") server.write(chunk);
    });
    server.on("data", (chunk: Buffer) => {
      if (connection.silent || connection.stalled === "unanswered") return;
      if (delayMs === 0) client.write(chunk);
      else setTimeout(() => client.write(chunk), delayMs);
    });
    const end = (): void => {
      connections.delete(connection);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      socket.on("error", () => undefined);
      // A silent network does not tell one side that the other has gone.
      socket.on("close", () => {
        if (!connection.silent) end();
      });
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port: own } = listener.address() as AddressInfo;
  return {
    through(url) {
      const changed = new URL(url);
      changed.hostname = "127.0.0.1";
      changed.port = String(own);
      return changed.href;
    },
    swallow(which) {
      for (const connection of connections) connection.silent = true;
      swallowNew = which === "new too";
    },
    delay(milliseconds) {
      delayMs = milliseconds;
    },
    heal() {
      swallowNew = false;
    },
    stall: (text, which) =>
      new Promise((resolve) => {
        stall = { text, which, happened: resolve };
      }),
    async close() {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      for (const { client, server } of connections) {
        client.destroy();
        server.destroy();
      }
      await closed;
    },
  };
}
