import { connect, type Socket } from 'node:net';

/** What a slow client sends first (`head`), and then repeatedly without end (`piece`). */
export type SlowClient = { head: string; piece: string };

const chunked = 'transfer-encoding: chunked\r\n\r\n';

/** The kinds of slow clients, by name. `authorization` is a key that may write contacts. */
export const slowClients = (authorization: string): Record<string, SlowClient> => {
  const head = (target: string, fields: string) => `POST ${target} HTTP/1.1\r\nhost: x\r\n${fields}\r\n`;
  const key = `authorization: ${authorization}\r\ncontent-type: application/json`;
  const form = 'content-type: application/x-www-form-urlencoded';
  return {
    'chunks to /oauth/token': { head: head('/oauth/token', form) + chunked, piece: '1\r\nx\r\n' },
    'a long body to /oauth/token': { head: `${head('/oauth/token', form)}content-length: 60000\r\n\r\n`, piece: 'x' },
    'chunks to /auth/sign-in': { head: head('/auth/sign-in', 'content-type: application/json') + chunked, piece: '1\r\n \r\n' },
    'chunks to /t/x': { head: head('/t/x', form) + chunked, piece: '1\r\nx\r\n' },
    'chunks to /health/ready': { head: `GET /health/ready HTTP/1.1\r\nhost: x\r\n${chunked}`, piece: '1\r\nx\r\n' },
    'a body of 70 kB with a key': { head: `${head('/v2/contacts', key)}content-length: 70000\r\n\r\n`, piece: ' ' },
    'chunks with a key': { head: head('/v2/contacts', key) + chunked, piece: '1\r\n \r\n' },
    'a file with a key': { head: `${head('/v2/contacts/batch', key)}content-length: 9000000\r\n\r\n`, piece: ' ' },
    'a file in chunks with a key': { head: head('/v2/contacts/batch', key) + chunked, piece: '1\r\n \r\n' },
    headers: { head: 'GET /v2/me HTTP/1.1\r\nhost: x\r\nx-slow: ', piece: 'x' },
  };
};

/** Opens `count` slow connections. Resolves when each has sent its third piece, with a function that ends them. */
export async function trickle(url: string, count: number, { head, piece }: SlowClient, everyMs = 2_000) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let stopped = false;

  const begin = () =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(head + piece);
        let sent = 1;
        const more = setInterval(() => socket.write(piece, () => ++sent === 3 && resolve()), everyMs);
        socket.once('close', () => clearInterval(more));
      });
      sockets.add(socket);
      // Reconnect after a disconnect.
      socket.once('close', () => {
        sockets.delete(socket);
        resolve();
        if (!stopped) setTimeout(() => stopped || void begin(), everyMs).unref();
      });
      socket.on('error', () => undefined).resume();
    });

  await Promise.all(Array.from({ length: count }, begin));
  return () => {
    stopped = true;
    for (const socket of sockets) socket.destroy();
  };
}

/** Requests something large and does not read it. Resolves when each response has begun or was aborted. */
export async function standStill(url: string, count: number, target: string, headers = '') {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname).pause();
      socket.on('error', () => undefined);
      socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`);
      // Begun, or aborted because other requests needed the connection.
      await new Promise((resolve) => socket.once('readable', resolve).once('close', resolve));
      return socket;
    }),
  );
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}
