import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { MarketingPlatform, type TrackedEventInput } from '@marketing-platform/sdk';

// The shop must work while the platform does not: tracking is sent in the background, and a receipt that fails is logged.
const mp = new MarketingPlatform({
  apiKey: process.env.MP_API_KEY ?? '',
  baseUrl: process.env.MP_BASE_URL ?? 'http://localhost:8080',
  tracking: { onError: (error) => console.error('events were not sent', error) },
});

type Order = { id: string; email: string; amount: number; currency: string };

const routes: Record<string, (body: Record<string, unknown>) => Promise<object>> = {
  'POST /cart': async (body) => {
    const [email, product] = [textOf(body, 'email'), textOf(body, 'product')];
    tell({ event: 'added_to_cart', email, properties: { product } });
    return { added: product };
  },

  'POST /orders': async (body) => {
    const amount = Number(textOf(body, 'amount'));
    if (!Number.isFinite(amount)) throw new TypeError('amount is not a number.');
    const order = { id: textOf(body, 'id'), email: textOf(body, 'email'), amount, currency: textOf(body, 'currency') };
    const { id, email, currency } = order;
    // The same order is counted once, however often this runs.
    tell({ event: 'order_placed', message_id: `order-${id}`, email, value: { amount, currency }, properties: { order: id } });
    await sendReceipt(order).catch((error) => console.error(`no receipt for ${id}`, error));
    return { id, status: 'paid' };
  },
};

function textOf(body: Record<string, unknown>, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' && typeof value !== 'number') throw new TypeError(`${name} is missing.`);
  return String(value);
}

let told: Promise<unknown> = Promise.resolve();

/** Creates the contact first: an event does not. The account's `default_consent` is `pending`, so nobody is subscribed by this. */
function tell(event: TrackedEventInput & { email: string }): void {
  const known = mp.contacts.upsert({ email: event.email }).catch((error) => console.error(`no contact for ${event.email}`, error));
  told = Promise.all([told, known.then(() => mp.track(event))]);
}

async function sendReceipt({ id, email, amount, currency }: Order): Promise<void> {
  await mp.campaigns.messages.send(
    {
      to: { email },
      from: { email: 'shop@example.com', name: 'Example Shop' },
      content: { subject: 'Receipt {{ data.id }}', html: '<p>Thank you! You paid {{ data.total }}.</p>' },
      data: { id, total: `${amount.toFixed(2)} ${currency}` },
    },
    // A second call for the same order sends nothing.
    { idempotencyKey: `receipt-${id}` },
  );
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = routes[`${request.method} ${request.url}`];
  if (!route) return void response.writeHead(404).end();
  const body = await json(request);
  const result = await route(typeof body === 'object' ? { ...body } : {});
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
}

const server = createServer((request, response) => {
  handle(request, response).catch(() => response.writeHead(400).end());
});
server.listen(Number(process.env.PORT ?? 3000), () => console.log('ready'));

process.once('SIGTERM', () => {
  server.close();
  // Sends what is still waiting.
  void told.then(() => mp.flush()).finally(() => process.exit(0));
});
