import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseKeyring } from '@mp/contracts/keyring';
import { type AccountId, newId, type WebhookId } from '@mp/ids';
import { pause } from '@mp/service-kit/backoff';
import { createParts } from '@mp/service-kit/service-parts';
import { Agent, request } from 'undici';
import { buildApp } from '../services/workflows/src/app.ts';
import { createSealing, newSecret } from '../services/workflows/src/webhooks/definitions/signing-secrets.ts';
import { CreateWebhookBody, newWebhook } from '../services/workflows/src/webhooks/definitions/webhook.ts';
import { createWebhooksStore } from '../services/workflows/src/webhooks/definitions/webhooks-store.ts';
import { createDeliveriesStore } from '../services/workflows/src/webhooks/deliveries/deliveries-store.ts';
import { quantile, summary } from './compare.ts';
import { writeResults } from './contacts-results.ts';

/**
 * Deliveries per second to receivers on this machine, beside bare undici with the same bodies and as many requests in-flight, and
 * the delay of deliveries to working receivers with and without a tenth that hang. BENCH_DELIVERIES=1000, BENCH_SECONDS=2 and
 * BENCH_ROUNDS=1 for a short run.
 */
const receivers = 20;
const hangingCount = receivers / 10;
const deliveries = Number(process.env.BENCH_DELIVERIES ?? 10_000);
const perReceiver = 8;
const pacedSeconds = Number(process.env.BENCH_SECONDS ?? 10);
const perSecond = 200;
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);

const keys = parseKeyring(`bench:${Buffer.alloc(32, 1).toString('base64url')}`);
const { MONGODB_URL = '', NATS_URL = '' } = process.env;
const parts = createParts({
  ...{ name: 'workflows', NAMESPACE: `bench_webhooks_${process.pid}`, MONGODB_URL, NATS_URL, LOG_LEVEL: 'warn' },
  ...{ CONTEXT_KEYS: keys, CURSOR_KEYS: keys },
});
const { mongo, cursors } = parts;
const service = buildApp(parts, { NODE_ENV: 'test', WEBHOOK_KEYS: keys, WEBHOOK_ALLOW_PRIVATE: true });
const clock = () => new Date();
const store = createDeliveriesStore(mongo, cursors);
const webhooks = createWebhooksStore(mongo.db, cursors, createSealing(keys), clock);
const origin = { correlationId: 'bench', causationId: null };

let arrived = 0;
let delays: number[] = [];
const server = createServer(async (incoming, response) => {
  let body = '';
  for await (const chunk of incoming) body += String(chunk);
  if (incoming.url === '/hang') return;
  const { timestamp } = JSON.parse(body);
  delays.push(Date.now() - Date.parse(timestamp));
  arrived += 1;
  response.end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
const receiversUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;

await mongo.start(console.error);
await parts.prepare();
await service.prepare();

const payloadFor = (accountId: AccountId) => ({
  ...{ id: newId('event').replace(/^evt_/, 'event_'), type: 'contact.created', timestamp: new Date().toISOString(), account_id: accountId },
  ...{ cause: 'api', data: { id: newId('contact'), email: 'ada@example.com', first_name: 'Ada', attributes: { plan: 'pro' } } },
});

/** Webhooks of a new account; those of `hanging` get no response. */
async function createWebhooks(hanging: number) {
  const accountId = newId('account');
  const ids: WebhookId[] = [];
  for (let index = 0; index < receivers; index += 1) {
    const url = receiversUrl + (index < hanging ? '/hang' : '/hook');
    const webhook = newWebhook(CreateWebhookBody.parse({ url, events: ['*'] }), new Date());
    await mongo.transaction(origin, (tx) =>
      webhooks.insert(tx, accountId, { plan: 'enterprise', webhook, secret: newSecret(), headers: {} }),
    );
    ids.push(webhook.id);
  }
  return { accountId, ids };
}

async function queue({ accountId, ids }: Awaited<ReturnType<typeof createWebhooks>>, count: number) {
  const queued = Array.from({ length: count }, (_, index) => ({
    ...{ webhookId: ids[index % ids.length] ?? newId('webhook'), payload: payloadFor(accountId), contactIds: [] },
  }));
  await mongo.transaction(origin, (tx) => store.add(tx, queued, new Date()));
}

/** Deliveries per second of a queue that is full at the start. */
async function platform(): Promise<number> {
  const account = await createWebhooks(0);
  arrived = 0;
  for (let from = 0; from < deliveries; from += 1_000) await queue(account, 1_000);
  // The deliverer looks for work by itself, even while the queue is filled.
  const early = arrived;
  const began = performance.now();
  service.deliverer.wake();
  while (arrived < deliveries) await pause(5);
  return (deliveries - early) / ((performance.now() - began) / 1_000);
}

const agent = new Agent();

async function bare(): Promise<number> {
  let left = deliveries;
  const accountId = newId('account');
  const work = async () => {
    while (left > 0) {
      left -= 1;
      const body = JSON.stringify(payloadFor(accountId));
      const response = await request(`${receiversUrl}/hook`, { method: 'POST', body, dispatcher: agent });
      await response.body.dump();
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: Math.min(receivers * perReceiver, 128) }, work));
  return deliveries / ((performance.now() - began) / 1_000);
}

/** The p99 delay in milliseconds of deliveries to receivers that work, queued at a steady pace. */
async function delay(hanging: number): Promise<number> {
  const account = await createWebhooks(hanging);
  const count = perSecond / 10;
  delays = [];
  for (let tick = 0; tick < pacedSeconds * 10; tick += 1) {
    const next = performance.now() + 100;
    await queue(account, count);
    service.deliverer.wake();
    await pause(Math.max(0, next - performance.now()));
  }
  const expected = (pacedSeconds * perSecond * (receivers - hanging)) / receivers;
  while (delays.length < expected) await pause(20);
  return quantile(
    delays.sort((a, b) => a - b),
    0.99,
  );
}

service.deliverer.start();
const rates: Record<'bare' | 'platform', number[]> = { bare: [], platform: [] };
const p99: Record<'working' | 'hanging', number[]> = { working: [], hanging: [] };
for (let round = 0; round <= rounds; round += 1) {
  const measured = [await bare(), await platform(), await delay(0), await delay(hangingCount)] as const;
  if (round === 0) continue;
  rates.bare.push(measured[0]);
  rates.platform.push(measured[1]);
  p99.working.push(measured[2]);
  p99.hanging.push(measured[3]);
}
const median = (values: readonly number[]) => summary(values).median;
const shown = (value: number) => Math.round(value).toLocaleString('en');
const spread = (values: readonly number[]) => {
  const { median: middle, min, max } = summary(values);
  return `${shown(middle)} (${shown(min)} – ${shown(max)})`;
};
await writeResults({
  name: 'webhook-deliveries',
  title: 'Webhooks: deliveries',
  how: `${shown(deliveries)} queued deliveries to ${receivers} webhooks of one account, whose receivers share this process; bare undici sends the same bodies with as many requests in-flight, unsigned and without a database. Delay: from the event to its arrival, at ${perSecond} deliveries per second. Median and range of ${rounds} rounds in turn, after a warm-up.`,
  table: [
    '| bare undici, requests/s | deliveries/s | p99 delay in ms, all receivers work | p99 delay in ms, a tenth hangs |',
    '|---|---|---|---|',
    `| ${[rates.bare, rates.platform, p99.working, p99.hanging].map(spread).join(' | ')} |`,
  ].join('\n'),
  aims: [
    ['deliveries / bare undici', '≥ 0.3', (median(rates.platform) / median(rates.bare)).toFixed(2)],
    ['p99 delay, a tenth hangs / all work', '≤ 1.2', (median(p99.hanging) / median(p99.working)).toFixed(2)],
  ],
});
await service.deliverer.stop();
await mongo.db.dropDatabase();
await mongo.stop();
process.exit(0);
