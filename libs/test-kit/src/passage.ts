import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '@mp/local-infra/free-port';

export type Passage = Awaited<ReturnType<typeof createPassage>>;

/**
 * A TCP address that leads to a server once it is open. It can close, as if the server had died, and break off exactly
 * what a test names.
 */
export async function createPassage(t: { after: (cleanUp: () => Promise<void>) => void }, serverUrl: string) {
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

  /** Refuses connections from now on, and resets those there are. */
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
    /** Resets the connection over which the client sends such bytes, before the server gets them. */
    breakOn(matches: (sent: Buffer) => boolean) {
      breaks = matches;
    },
  };
}

/** MongoDB through a passage: the driver must not look for the member's own address. */
export const mongoUrlThrough = ({ port }: Passage) => `mongodb://127.0.0.1:${port}/?directConnection=true`;
