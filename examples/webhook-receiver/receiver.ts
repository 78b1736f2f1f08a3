import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook, type WebhookEvent } from '@marketing-platform/sdk';

const secret = process.env.WEBHOOK_SECRET ?? '';
/** Deliveries of the last day, by ID. A receiver with several processes keeps them in its database, with a unique index. */
const handled = new Map<string, number>();

async function work({ type, data }: WebhookEvent): Promise<void> {
  console.log(type, JSON.stringify(data).slice(0, 200));
}

const server = createServer(async (request, response) => {
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  let event: WebhookEvent;
  try {
    event = await verifyWebhook(await text(request), headers, secret);
  } catch {
    return void response.writeHead(401).end();
  }
  // The platform waits 15 seconds and repeats what fails, so the work comes after the response.
  response.writeHead(204).end();
  const id = headers.get('webhook-id') ?? '';
  if (handled.has(id)) return;
  handled.set(id, Date.now());
  for (const [old, at] of handled) if (at < Date.now() - 86_400_000) handled.delete(old);
  work(event).catch((error) => {
    console.error(`${event.type} ${id}`, error);
  });
});

server.listen(Number(process.env.PORT ?? 3001), () => console.log('ready'));
