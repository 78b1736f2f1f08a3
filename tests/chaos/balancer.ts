import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Connects to the processes of a service in turn, as a load balancer without health checks does: while one process is killed or frozen,
 * retries of a client reach the other, with the same Idempotency-Key.
 */
export async function startBalancer(t: { after: (cleanUp: () => Promise<void>) => void }) {
  const sockets = new Set<Socket>();
  let urls: readonly string[] = [];
  let turn = 0;
  const server = createServer((client) => {
    const url = urls[turn % urls.length];
    turn += 1;
    if (url === undefined) return void client.destroy();
    const { hostname, port } = new URL(url);
    const upstream = connect(Number(port), hostname);
    client.pipe(upstream).pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Until it is called, no connection succeeds. */
    balance(between: readonly string[]) {
      urls = between;
    },
  };
}
