import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook, type WebhookEvent } from '@marketing-platform/sdk';

const secret = process.env.WEBHOOK_SECRET ?? '';
const file = process.env.EVENTS_FILE ?? 'events.ndjson';

/**
 * What was handled or is being handled, by the ID of the event. A receiver with several processes, or with many events, keeps the IDs in
 * its database, with a unique index, for 30 days: so long can a delivery be replayed.
 */
const handled = new Map<string, Promise<void>>();

/** On the disk once it resolves. A crash can leave the last line incomplete, so each event begins a line of its own. */
const work = (event: WebhookEvent): Promise<void> => appendFile(file, `\n${JSON.stringify(event)}`, { flush: true });

/** Resumes where the process before this one ended, however it did. */
async function recall(): Promise<void> {
  const lines = existsSync(file) ? (await readFile(file, 'utf8')).split('\n') : [];
  for (const line of lines) {
    try {
      handled.set(JSON.parse(line).id, Promise.resolve());
    } catch {
      // Incomplete: it was not accepted, and is sent again.
    }
  }
}

const server = createServer(async (request, response) => {
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  let event: WebhookEvent;
  try {
    event = await verifyWebhook(await text(request), headers, secret);
  } catch {
    return void response.writeHead(401).end();
  }
  const done = handled.get(event.id) ?? work(event);
  handled.set(event.id, done);
  // The platform repeats what fails, so the response comes after the work: what is accepted is never lost. It waits 15 seconds; work
  // that takes longer is stored here, and done later.
  try {
    await done;
    response.writeHead(204).end();
  } catch (error) {
    handled.delete(event.id);
    console.error(`${event.type} ${event.id}`, error);
    response.writeHead(500).end();
  }
});

await recall();
server.listen(Number(process.env.PORT ?? 3001), () => console.log('ready'));
