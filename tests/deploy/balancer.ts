import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Acts like a Kubernetes Service: new connections rotate over the replicas that are ready, which it detects by polling and
 * so with a delay. Existing connections stay where they are.
 */
export async function startBalancer(t: { after: (cleanUp: () => Promise<void>) => void }, everyMs = 200) {
  const replicas = new Map<number, boolean>();
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    const ready = [...replicas].filter(([, isReady]) => isReady).map(([port]) => port);
    turn += 1;
    const port = ready[turn % ready.length];
    if (port === undefined) return client.destroy();
    const upstream = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.once('close', () => sockets.delete(socket));
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asking = setInterval(() => {
    for (const port of replicas.keys()) {
      fetch(`http://127.0.0.1:${port}/health/ready`).then(
        ({ status }) => replicas.has(port) && replicas.set(port, status === 200),
        () => replicas.has(port) && replicas.set(port, false),
      );
    }
  }, everyMs);
  t.after(async () => {
    clearInterval(asking);
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    add: (port: number) => replicas.set(port, true),
    remove: (port: number) => replicas.delete(port),
  };
}
