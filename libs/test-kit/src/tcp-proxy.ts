import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@mp/local-infra/free-port';

export type TcpProxy = Awaited<ReturnType<typeof createTcpProxy>>;

/**
 * A TCP proxy in front of a server. It can be opened, closed as if the server had crashed, slowed, and made to reset a specific connection.
 */
export async function createTcpProxy(t: { after: (cleanUp: () => Promise<void>) => void }, serverUrl: string) {
  const target = new URL(serverUrl.replace(/^[a-z]+:/, 'http:'));
  const port = await freePort();
  const sockets = new Set<Socket>();
  let breaks = (_sent: Buffer): boolean => false;
  let server: Server | undefined;
  let delayMs = 0;

  /** Sends what one side receives to the other, in order, each piece after the delay. */
  function carry(from: Socket, to: Socket, mayPass = (_sent: Buffer) => true) {
    let waiting = 0;
    let sent: Promise<unknown> = Promise.resolve();
    from.on('data', (piece) => {
      if (!mayPass(piece)) return;
      if (delayMs === 0 && waiting === 0) return void to.write(piece);
      waiting += 1;
      sent = sent
        .then(() => pause(delayMs))
        .then(() => {
          waiting -= 1;
          to.write(piece);
        });
    });
  }

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
    carry(upstream, client);
    carry(client, upstream, (sent) => {
      if (!breaks(sent)) return true;
      upstream.destroy();
      client.resetAndDestroy();
      return false;
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
    /** Delays every piece of data in both directions; 0 ends it. */
    slow(ms: number) {
      delayMs = ms;
    },
    /** Resets a connection when the client sends matching bytes, before the server gets them. */
    breakOn(matches: (sent: Buffer) => boolean) {
      breaks = matches;
    },
  };
}

/** The URL of MongoDB through a proxy. A direct connection, so that the driver does not use the address of the replica set member. */
export const mongoUrlThrough = ({ port }: TcpProxy) => `mongodb://127.0.0.1:${port}/?directConnection=true`;
