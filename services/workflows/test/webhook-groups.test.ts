import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ContactCreated, ContactUpdated } from '@mp/contracts/events/contacts';
import { MembershipEntered } from '@mp/contracts/events/segments';
import { type AccountId, newId } from '@mp/ids';
import { accountState } from '@mp/test-kit/account-state';
import { anEvent } from '@mp/test-kit/an-event';
import { applyEvents } from '@mp/test-kit/apply-events';
import { countCommands } from '@mp/test-kit/count-commands';
import { testParts } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import type { z } from 'zod';
import { createSealing, newSecret } from '../src/webhooks/definitions/signing-secrets.ts';
import { CreateWebhookBody, newWebhook, type Webhook } from '../src/webhooks/definitions/webhook.ts';
import { createWebhooksStore } from '../src/webhooks/definitions/webhooks-store.ts';
import { createAcceptedStore } from '../src/webhooks/deliveries/accepted-store.ts';
import { createDeliveriesStore } from '../src/webhooks/deliveries/deliveries-store.ts';
import { createErasedContacts } from '../src/webhooks/deliveries/erased-contacts-store.ts';
import { onWebhookEvents } from '../src/webhooks/deliveries/on-webhook-event.ts';
import { createStreamsStore } from '../src/webhooks/streams/streams-store.ts';
import { contactOf } from './setting.ts';
import { webhookKeys } from './webhook-keys.ts';

const now = new Date();
const clock = () => now;
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const origin = { correlationId: 'test', causationId: null };
const collections = ['webhook_deliveries', 'webhook_stream_events'];

async function handlersOf(t: TestContext) {
  const parts = await testParts(t, 'workflows', { monitorCommands: true });
  const { mongo, cursors, outbox, logger } = parts;
  const webhooks = createWebhooksStore(mongo.db, cursors, createSealing(webhookKeys), clock);
  const deliveries = createDeliveriesStore(mongo, cursors);
  const streams = createStreamsStore(mongo, clock);
  const erased = createErasedContacts({ db: mongo.db, deliveries, streams, outbox, logger, clock });
  const accepted = createAcceptedStore(mongo.db);
  for (const store of [webhooks, deliveries, streams, erased, accepted]) await store.prepare();
  const handlers = onWebhookEvents({ webhooks, deliveries, streams, erased, accepted, clock, wake: () => undefined });
  const insert = async (accountId: AccountId, webhook: Webhook) => {
    const given = { plan: 'enterprise' as const, webhook, secret: newSecret(), headers: {} };
    await mongo.transaction(origin, (tx) => webhooks.insert(tx, accountId, given));
  };
  const clear = async () => {
    for (const name of [...collections, 'inbox']) await mongo.db.collection(name).deleteMany({});
  };
  return { mongo, handlers, streams, erased, accepted, insert, clear };
}

const webhookSince = (since: Date, body: Partial<z.input<typeof CreateWebhookBody>>) =>
  newWebhook(CreateWebhookBody.parse({ url: 'http://127.0.0.1:9/', events: ['*'], ...body }), since);

const step = fc.record({
  account: fc.nat(2),
  contact: fc.nat(3),
  type: fc.constantFrom('created' as const, 'created' as const, 'updated' as const, 'entered' as const),
  plan: fc.constantFrom('pro', 'free'),
  minutes: fc.nat(20),
  again: fc.boolean(),
  next: fc.oneof(
    { weight: 12, arbitrary: fc.constant('nothing' as const) },
    { weight: 1, arbitrary: fc.constantFrom('erase' as const, 'accept' as const) },
  ),
});

test('any history in any grouping is delivered as its events one by one', async (t) => {
  const settings = [await handlersOf(t), await handlersOf(t)] as const;
  const [single, grouped] = settings;
  const accounts = [newId('account'), newId('account'), newId('account')] as const;
  const [busy, filtering, without] = accounts;
  const restored = webhookSince(minutesAgo(60), { events: ['contact.updated'] });
  const webhooks = [
    [busy, webhookSince(minutesAgo(60), {})],
    [busy, restored],
    [busy, webhookSince(minutesAgo(10), { events: ['contact.*'], batch: { max: 3, wait_ms: 0 } })],
    [busy, { ...webhookSince(minutesAgo(60), { status: 'disabled' }), disabled_reason: 'gone' as const }],
    [busy, webhookSince(minutesAgo(60), { status: 'disabled' })],
    [filtering, webhookSince(minutesAgo(60), { filter: { field: 'data.attributes.plan', op: 'eq', value: 'pro' } })],
    [without, webhookSince(minutesAgo(60), { status: 'disabled' })],
  ] as const;
  const streamIds: string[][] = [[], []];
  for (const [index, { insert, streams }] of settings.entries()) {
    for (const [accountId, webhook] of webhooks) await insert(accountId, webhook);
    for (const patterns of [['*'], ['segment.*']]) streamIds[index]?.push((await streams.create(filtering, patterns)).id);
  }
  const stateOf = async ({ mongo }: (typeof settings)[number], ids: readonly string[] = []) => {
    const without = ['_id', 'created_at'];
    const state = await accountState(mongo.db, { accountIds: accounts, collections, without });
    const named = (row: string) => ids.reduce((text, id, index) => text.replaceAll(id, `stream ${index}`), row);
    return Object.fromEntries(Object.entries(state).map(([name, rows]) => [name, rows.map(named).sort()]));
  };

  let seen = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), fc.integer({ min: 2, max: 30 }), async (steps, maxEvents) => {
      const contacts = accounts.map(() => Array.from({ length: 4 }, () => newId('contact')));
      const stages: { events: ReturnType<typeof anEvent>[]; after: (setting: (typeof settings)[number]) => Promise<unknown> }[] = [];
      let events: ReturnType<typeof anEvent>[] = [];
      for (const { account, contact, type, plan, minutes, again, next } of steps) {
        const [accountId, id] = [accounts[account], contacts[account]?.[contact]];
        if (accountId === undefined || id === undefined) continue;
        const of = contactOf({ id, email: 'ada@example.com', attributes: { plan } });
        const membership = { segment_id: newId('segment'), segment_name: 'S', contact_id: id, sequence: 1, cause: 'contact' as const };
        const event =
          type === 'created'
            ? anEvent(ContactCreated, accountId, { contact: of })
            : type === 'updated'
              ? anEvent(ContactUpdated, accountId, { contact: of, changed: ['email'] })
              : anEvent(MembershipEntered, accountId, { ...membership, at: now.toISOString() });
        const timed = { ...event, time: minutesAgo(minutes).toISOString() };
        if (next === 'accept') {
          const entry = { account_id: accountId, webhook_id: restored.id, event_ids: [timed.id.replace(/^evt_/, 'event_')] };
          stages.push({ events, after: ({ accepted }) => accepted.add({ ...entry, kind: 'delivery', at: now.toISOString() }, now) });
          events = [];
        }
        events.push(timed, ...(again ? [timed] : []));
        if (next !== 'erase') continue;
        stages.push({ events, after: ({ erased, mongo }) => mongo.transaction(origin, (tx) => erased.erase(tx, accountId, [id])) });
        events = [];
      }
      stages.push({ events, after: async () => undefined });
      for (const { events: stage, after } of stages) {
        await applyEvents(single.mongo, single.handlers, stage);
        await applyEvents(grouped.mongo, grouped.handlers, stage, { maxEvents, atOnce: 2 });
        for (const setting of settings) await after(setting);
      }
      const expected = await stateOf(single, streamIds[0]);
      assert.deepEqual(await stateOf(grouped, streamIds[1]), expected);
      seen += Object.values(expected).flat().length;
      for (const { clear } of settings) await clear();
    }),
    { numRuns: 12 },
  );
  assert.ok(seen > 0);
});

test('a group of 100 events takes few commands; what no webhook takes costs one shared read', async (t) => {
  const { mongo, handlers, insert } = await handlersOf(t);
  const accounts = [newId('account'), newId('account')];
  const [taking, other = newId('account')] = accounts;
  for (const accountId of accounts) await insert(accountId, webhookSince(minutesAgo(60), { events: ['contact.created'] }));
  if (taking) await insert(taking, webhookSince(minutesAgo(60), {}));
  const created = (accountId: AccountId) =>
    anEvent(ContactCreated, accountId, { contact: contactOf({ id: newId('contact'), email: 'ada@example.com' }) });
  const events = Array.from({ length: 100 }, (_, index) => created(accounts[index % 2] ?? other));
  const handler = handlers.find(({ event }) => event.type === ContactCreated.type);
  const sent = await countCommands(mongo, () => mongo.transaction(origin, async (tx) => handler?.reactAll?.(tx, events)));
  t.diagnostic(`100 events: ${sent.commands} commands, ${sent.commits} commits`);
  assert.ok(sent.commands <= 7 && sent.commits === 1 && sent.documents <= 160, JSON.stringify(sent));
  assert.equal(await mongo.db.collection('webhook_deliveries').countDocuments(), 150);

  const ignored = Array.from({ length: 100 }, () => {
    const contact = contactOf({ id: newId('contact'), email: 'ada@example.com' });
    return anEvent(ContactUpdated, other, { contact, changed: ['email'] });
  });
  const read = await countCommands(mongo, () => applyEvents(mongo, handlers, ignored, { maxEvents: 200, atOnce: 1 }));
  t.diagnostic(`100 events that no webhook takes: ${read.commands} commands`);
  assert.ok(read.commands <= 3 && read.commits === 0, JSON.stringify(read));
});
