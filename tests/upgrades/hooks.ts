import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export type Hooks = Awaited<ReturnType<typeof startHooks>>;
export type Call = { path: string; id: string; body: string };

/** A receiver of webhooks. `mood` says what a path responds; `hang` leaves the caller without a response. */
export async function startHooks(t: { after: (cleanUp: () => Promise<void>) => void }) {
  const calls: Call[] = [];
  const moods = new Map<string, number | 'hang'>();
  const hanging = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    void text(request).then(
      (body) => {
        calls.push({ path, id: String(request.headers['webhook-id']), body });
        const mood = moods.get(path) ?? 200;
        if (mood === 'hang') hanging.add(response);
        else response.writeHead(mood, { 'content-type': 'application/json' }).end('{"code":"BACK10"}');
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { host, calls, mood: (path: string, mood: number | 'hang') => moods.set(path, mood) };
}
