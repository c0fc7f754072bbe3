import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** Stands where a load balancer would: each update goes to the next process, so that no process sees a purchase whole. */
export interface LoadBalancer {
  readonly url: string;
  /** How many receipts have passed, duplicates included. */
  receipts(): number;
  /** Delivers the updates to these ports from now on. */
  setTargets(ports: readonly number[]): void;
  close(): Promise<void>;
}

export async function startLoadBalancer(): Promise<LoadBalancer> {
  let targets: readonly number[] = [];
  let turn = 0;
  let receipts = 0;
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      if (body.includes('"successful_payment"')) receipts += 1;
      const port = targets[turn++ % Math.max(1, targets.length)];
      const forwarded = request(
        { host: "127.0.0.1", port, path: incoming.url, method: incoming.method, headers: incoming.headers },
        (response) => {
          outgoing.writeHead(response.statusCode ?? 502, response.headers);
          response.pipe(outgoing);
        },
      );
      // A process that is down is what redelivery is for: Telegram tries again, and the next process gets it.
      forwarded.on("error", () => {
        if (!outgoing.headersSent) outgoing.writeHead(502);
        outgoing.end();
      });
      forwarded.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/telegram`,
    receipts: () => receipts,
    setTargets(ports) {
      targets = ports;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
