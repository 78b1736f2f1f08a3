import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';

export type Seen = { method: string; target: string; headers: IncomingMessage['headers']; body: string };
type Behaviour = (req: IncomingMessage, res: ServerResponse, seen: Seen) => void;

const respondOk: Behaviour = (_req, res, seen) => {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(JSON.stringify({ success: true, data: { method: seen.method, target: seen.target, body: seen.body } }));
};

/** A service that records its requests and behaves as the test specifies. */
export async function startFakeService(t: TestContext) {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  let behave = respondOk;
  /** Called before the request body is read. */
  let early: Behaviour | undefined;

  const server = createServer((req, res) => {
    const entry: Seen = { method: req.method ?? '', target: req.url ?? '', headers: req.headers, body: '' };
    seen.push(entry);
    if (early) return early(req, res, entry);
    req.setEncoding('utf8');
    req.on('data', (text: string) => {
      entry.body += text;
    });
    req.on('end', () => behave(req, res, entry));
    req.on('error', () => undefined);
  });
  server.keepAliveTimeout = 75_000;
  server.on('connection', (socket) => sockets.add(socket.once('close', () => sockets.delete(socket))));
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      if (!server.listening) return resolve();
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  t.after(close);

  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    last: () => seen.at(-1),
    behave: (next: Behaviour) => {
      behave = next;
    },
    beforeBody: (next: Behaviour) => {
      early = next;
    },
    close,
    open: () => listen(port),
  };
}
