import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a receiver does with a request: accepts it, responds with an error, or never responds. */
const moods = ['accept', 'fail', 'hang'] as const;

export type Received = { type: string; contactId: string; email: string };

/** A receiver of webhooks. It keeps each event that it accepts by the ID of the event, because deliveries may be repeated. */
export async function startReceiver(t: { after: (cleanUp: () => Promise<void>) => void }) {
  const received = new Map<string, Received>();
  let mood: (typeof moods)[number] = 'accept';
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    if (mood === 'hang') return;
    if (mood === 'fail') return void response.writeHead(500).end();
    const { type, data } = JSON.parse(body);
    received.set(String(request.headers['webhook-id']), { type, contactId: data.contact_id ?? data.id, email: data.email });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    /** Changes what it does; a third of all turns it accepts everything. */
    trouble(turn: number) {
      mood = moods[turn % moods.length] ?? 'accept';
    },
  };
}
