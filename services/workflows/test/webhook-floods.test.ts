import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AccountId, newId, type WebhookId } from '@mp/ids';
import { countCommands } from '@mp/test-kit/count-commands';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { createSealing, newSecret } from '../src/webhooks/definitions/signing-secrets.ts';
import { CreateWebhookBody, newWebhook } from '../src/webhooks/definitions/webhook.ts';
import { createWebhooksStore } from '../src/webhooks/definitions/webhooks-store.ts';
import { createDeliverer } from '../src/webhooks/deliveries/deliverer.ts';
import { createDeliveriesStore } from '../src/webhooks/deliveries/deliveries-store.ts';
import type { Sent } from '../src/webhooks/deliveries/send-delivery.ts';
import { webhookKeys } from './webhook-keys.ts';
import { publicId, recorder, webhookService } from './webhooks.ts';

const origin = { correlationId: 'test', causationId: null };
const accepted: Sent = {
  attempt: { at: new Date().toISOString(), status_code: 200, duration_ms: 1, error: null, response: '' },
  ...{ ok: true, isUp: true, isGone: false, retryAfterMs: 0 },
};

/** A receiver that responds once the process stops. */
const hang = (stopping: AbortSignal) =>
  new Promise<Sent>((resolve) => stopping.addEventListener('abort', () => resolve({ ...accepted, ok: false, isUp: false })));

/** A deliverer whose receivers are a function. */
async function delivererOf(t: TestContext, send: (stopping: AbortSignal) => Promise<Sent>) {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const { mongo, cursors, outbox, logger, ...parts } = await testParts(t, 'workflows', { monitorCommands: true });
  await parts.prepare();
  const webhooks = createWebhooksStore(mongo.db, cursors, createSealing(webhookKeys), clock);
  const deliveries = createDeliveriesStore(mongo, cursors);
  for (const store of [webhooks, deliveries]) await store.prepare();
  const noted: string[] = [];
  const reportDelivered = { note: (held: readonly { eventId: string }[]) => void noted.push(...held.map(({ eventId }) => eventId)) };
  const sendDelivery = (_: unknown, __: unknown, stopping: AbortSignal) => send(stopping);
  const deliverer = createDeliverer({
    ...{ mongo, outbox, logger, webhooks, deliveries, sendDelivery, reportDelivered, suspended: { has: () => false }, clock },
  });
  t.after(() => deliverer.stop());
  return {
    deliverer,
    mongo,
    noted,
    rows: mongo.db.collection('webhook_deliveries'),
    pass(milliseconds: number) {
      ahead += milliseconds;
      deliverer.wake();
    },
    async createWebhook(accountId: AccountId): Promise<WebhookId> {
      const webhook = newWebhook(CreateWebhookBody.parse({ url: 'http://127.0.0.1:9/', events: ['*'] }), clock());
      const given = { plan: 'enterprise' as const, webhook, secret: newSecret(), headers: {} };
      await mongo.transaction(origin, (tx) => webhooks.insert(tx, accountId, given));
      return webhook.id;
    },
    async queue(accountId: AccountId, webhookId: WebhookId, count: number) {
      const content = { type: 'contact.created', timestamp: clock().toISOString(), account_id: accountId, data: {}, cause: 'api' };
      const queued = Array.from({ length: count }, () => ({ webhookId, payload: { ...content, id: newId('event') }, contactIds: [] }));
      await mongo.transaction(origin, (tx) => deliveries.add(tx, queued, clock()));
    },
  };
}

test('a delivery of a backlog takes a fraction of a command, and is sent and recorded once', async (t) => {
  const { deliverer, mongo, noted, rows, createWebhook, queue } = await delivererOf(t, async () => accepted);
  const accountId = newId('account');
  for (let count = 0; count < 4; count += 1) await queue(accountId, await createWebhook(accountId), 250);
  const sent = await countCommands(mongo, async () => {
    deliverer.start();
    while (noted.length < 1_000) await sleep(5);
  });
  t.diagnostic(`1,000 deliveries: ${sent.commands} commands`);
  assert.ok(sent.commands <= 250 && sent.documents <= 3_100, JSON.stringify(sent));
  assert.equal(new Set(noted).size, 1_000);
  assert.equal(await rows.countDocuments({ status: 'delivered', attempt_count: 1, claim: { $exists: false } }), 1_000);
  assert.equal(await mongo.db.collection('webhook_attempts').countDocuments(), 1_000);
});

test('the deliveries of many webhooks of an account are sent when they are queued, not when the deliverer looks by itself', async (t) => {
  const { deliverer, noted, createWebhook, queue } = await delivererOf(t, async () => accepted);
  const accountId = newId('account');
  const webhooks: WebhookId[] = [];
  for (let count = 0; count < 40; count += 1) webhooks.push(await createWebhook(accountId));
  deliverer.start();
  let queued = 0;
  /** The milliseconds until a delivery of each webhook is sent. */
  async function untilSent() {
    for (const webhookId of webhooks) await queue(accountId, webhookId, 1);
    queued += webhooks.length;
    const began = performance.now();
    deliverer.wake();
    while (noted.length < queued) await sleep(5);
    return performance.now() - began;
  }
  // From the second round on, the receivers are known to be quick. Other programs share the machine, so one quick round is enough.
  await untilSent();
  await eventually(async () => (await untilSent()) < 700);
});

test('what is claimed and not sent', async (t) => {
  const setting = async (t: TestContext) => {
    let sent = 0;
    const service = await delivererOf(t, async (stopping) => {
      sent += 1;
      return sent <= 20 ? accepted : hang(stopping);
    });
    const accountId = newId('account');
    await service.queue(accountId, await service.createWebhook(accountId), 200);
    service.deliverer.start();
    await eventually(async () => sent === 28);
    const claimed = () => service.rows.countDocuments({ claim: { $exists: true } });
    await eventually(async () => (await claimed()) > 8);
    return { ...service, claimed, sent: () => sent };
  };

  await t.test('returns to the queue when its receiver hangs, before its lease expires', async (t) => {
    const { claimed, createWebhook, deliverer, pass, queue, sent } = await setting(t);
    pass(20_000);
    await eventually(async () => (await claimed()) === 8);
    pass(0);
    const other = newId('account');
    await queue(other, await createWebhook(other), 1);
    deliverer.wake();
    await eventually(async () => sent() === 29);
    assert.equal(await claimed(), 9, 'only what another account queued is claimed after it');
  });

  await t.test('returns to the queue when the process stops', async (t) => {
    const { claimed, deliverer, rows, noted } = await setting(t);
    await deliverer.stop();
    assert.equal(await claimed(), 0);
    assert.equal(await rows.countDocuments({ due_at: { $exists: true } }), 200 - noted.length);
  });
});

test('a flood of 2,000 events of one account delays the delivery of another by less than the flood', async (t) => {
  const service = await webhookService(t);
  const [loud, quiet] = [service.account(), service.account()];
  let delayMs = 50;
  const flood = await recorder(t, (response) => setTimeout(() => response.end(), delayMs));
  const other = await recorder(t);
  await service.create(loud, flood.url, { events: ['contact.created'] });
  await service.create(quiet, other.url, { events: ['contact.created'] });
  const events = Array.from({ length: 2_000 }, () => service.contactCreated(loud));
  await Promise.all(events);
  const event = await service.contactCreated(quiet);
  await eventually(async () => other.received.length === 1);
  const arrived = flood.received.length;
  t.diagnostic(`after ${arrived} deliveries of the flood`);
  assert.equal(other.received[0]?.payload.id, publicId(event));
  assert.ok(arrived < 1_000, `after ${arrived} deliveries of the flood`);
  delayMs = 0;
  const distinct = () => new Set(flood.received.map(({ payload }) => payload.id)).size;
  await eventually(async () => distinct() === 2_000);
  assert.equal(flood.received.length, 2_000);
});
