import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '@mp/local-infra/free-port';

export type TcpProxy = Awaited<ReturnType<typeof createTcpProxy>>;

/**
 * A TCP proxy in front of a server. It can be opened, closed as if the server had crashed, and made to reset a specific connection.
 */
export async function createTcpProxy(t: { after: (cleanUp: () => Promise<void>) => void }, serverUrl: string) {
  const target = new URL(serverUrl.replace(/^[a-z]+:/, 'http:'));
  const port = await freePort();
  const sockets = new Set<Socket>();
  let breaks = (_sent: Buffer): boolean => false;
  let server: Server | undefined;

  function pass(client: Socket) {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    upstream.on('data', (data) => client.write(data));
    client.on('data', (data) => {
      if (!breaks(data)) return void upstream.write(data);
      upstream.destroy();
      client.resetAndDestroy();
    });
  }

  async function open() {
    const opening = createServer(pass);
    server = opening;
    await new Promise<void>((resolve) => opening.listen(port, '127.0.0.1', resolve));
  }

  /** Refuses new connections and resets the existing ones. */
  async function close() {
    const closing = server;
    server = undefined;
    const closed = new Promise<void>((resolve) => (closing ? closing.close(() => resolve()) : resolve()));
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  }

  t.after(close);
  return {
    port,
    open,
    close,
    /** Resets a connection when the client sends matching bytes, before the server gets them. */
    breakOn(matches: (sent: Buffer) => boolean) {
      breaks = matches;
    },
  };
}

/** The URL of MongoDB through a proxy. A direct connection, so that the driver does not use the address of the replica set member. */
export const mongoUrlThrough = ({ port }: TcpProxy) => `mongodb://127.0.0.1:${port}/?directConnection=true`;
