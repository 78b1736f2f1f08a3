import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, MarketingPlatform, type TrackedEventInput, ValidationError } from '@marketing-platform/sdk';

// The loop below tries again, so a call need not.
const mp = new MarketingPlatform({
  apiKey: process.env.MP_API_KEY ?? '',
  baseUrl: process.env.MP_BASE_URL ?? 'http://localhost:8080',
  timeout: 5_000,
  maxRetries: 0,
});

/**
 * What the platform must get, so that no customer waits for it and nothing is lost while it does not respond. In your shop, this is a table
 * of its database, and its rows are written in the transaction of the order.
 */
const database = new DatabaseSync(process.env.SHOP_DATABASE ?? 'shop.db');
database.exec('CREATE TABLE IF NOT EXISTS outbox (key TEXT PRIMARY KEY, notice TEXT NOT NULL, done_at TEXT) STRICT');
const insert = database.prepare('INSERT OR IGNORE INTO outbox (key, notice) VALUES (?, ?)');
const waiting = database.prepare('SELECT key, notice FROM outbox WHERE done_at IS NULL ORDER BY rowid');
const finish = database.prepare('UPDATE outbox SET done_at = ? WHERE key = ?');

type Order = { id: string; email: string; amount: number; currency: string };
type Notice = { event: TrackedEventInput & { email: string; message_id: string }; order?: Order };

const routes: Record<string, (body: Record<string, unknown>) => object> = {
  'POST /cart': (body) => {
    const [email, product] = [textOf(body, 'email'), textOf(body, 'product')];
    note({ event: { event: 'added_to_cart', message_id: `cart-${randomUUID()}`, email, properties: { product } } });
    return { added: product };
  },

  'POST /orders': (body) => {
    const amount = Number(textOf(body, 'amount'));
    if (!Number.isFinite(amount)) throw new TypeError('amount is not a number.');
    const order = { id: textOf(body, 'id'), email: textOf(body, 'email'), amount, currency: textOf(body, 'currency') };
    const { id, email, currency } = order;
    // An order has one row, so a second call for it counts and sends nothing, however late.
    const event = { event: 'order_placed', message_id: `order-${id}`, email, value: { amount, currency }, properties: { order: id } };
    note({ event, order });
    return { id, status: 'paid' };
  },
};

function textOf(body: Record<string, unknown>, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' && typeof value !== 'number') throw new TypeError(`${name} is missing.`);
  return String(value);
}

/** Keeps the time of now, however late the platform gets it. */
function note({ event, order }: Notice): void {
  insert.run(event.message_id, JSON.stringify({ event: { timestamp: new Date().toISOString(), ...event }, order }));
}

/**
 * Each call can be repeated: the event has a `message_id`, and the receipt an idempotency key. The platform remembers that key for 24 hours;
 * after that, `done_at` is what keeps a receipt from being sent twice.
 */
async function send({ event, order }: Notice): Promise<void> {
  // An event creates no contact. The account's `default_consent` is `pending`, so nobody is subscribed by this.
  await mp.contacts.upsert({ email: event.email });
  await mp.leadpulse.track(event);
  if (order) await sendReceipt(order);
}

async function sendReceipt({ id, email, amount, currency }: Order): Promise<void> {
  await mp.campaigns.messages.send(
    {
      to: { email },
      from: { email: 'shop@example.com', name: 'Example Shop' },
      content: { subject: 'Receipt {{ data.id }}', html: '<p>Thank you! You paid {{ data.total }}.</p>' },
      data: { id, total: `${amount.toFixed(2)} ${currency}` },
    },
    { idempotencyKey: `receipt-${id}` },
  );
}

async function sendWaiting(): Promise<void> {
  for (const row of waiting.all()) {
    const key = String(row.key);
    try {
      await send(JSON.parse(String(row.notice)));
    } catch (error) {
      console.error(`${key} was not sent`, error);
      // The platform does not respond, or is busy: all that waits is tried again later.
      if (!(error instanceof ApiError) || error.status >= 429) return;
      // What is invalid stays so; anything else may be sent once it is corrected, such as the key.
      if (!(error instanceof ValidationError)) continue;
    }
    finish.run(new Date().toISOString(), key);
  }
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = routes[`${request.method} ${request.url}`];
  if (!route) return void response.writeHead(404).end();
  const body = await json(request);
  const result = route(typeof body === 'object' ? { ...body } : {});
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
}

const server = createServer((request, response) => {
  handle(request, response).catch(() => response.writeHead(400).end());
});
server.listen(Number(process.env.PORT ?? 3000), () => console.log('ready'));

for (;;) {
  await sendWaiting();
  await pause(1_000);
}
