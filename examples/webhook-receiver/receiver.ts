import { appendFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook, type WebhookEvent } from '@marketing-platform/sdk';

const secret = process.env.WEBHOOK_SECRET ?? '';
const file = process.env.EVENTS_FILE ?? 'events.ndjson';
const twoDaysMs = 2 * 86_400_000;
/** The work of the last two days, by delivery: retries last 28 hours. A receiver with several processes keeps the IDs in its database, with a unique index. */
const handled = new Map<string, Promise<void>>();

const work = (event: WebhookEvent): Promise<void> => appendFile(file, `${JSON.stringify(event)}\n`);

const server = createServer(async (request, response) => {
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  let event: WebhookEvent;
  try {
    event = await verifyWebhook(await text(request), headers, secret);
  } catch {
    return void response.writeHead(401).end();
  }
  const id = headers.get('webhook-id') ?? '';
  const done = handled.get(id) ?? work(event);
  handled.set(id, done);
  // The platform repeats what fails, so the response comes after the work: what is accepted is never lost. It waits 15 seconds; work
  // that takes longer is stored here, and done later.
  try {
    await done;
    response.writeHead(204).end();
    setTimeout(() => handled.delete(id), twoDaysMs).unref();
  } catch (error) {
    handled.delete(id);
    console.error(`${event.type} ${id}`, error);
    response.writeHead(500).end();
  }
});

server.listen(Number(process.env.PORT ?? 3001), () => console.log('ready'));
