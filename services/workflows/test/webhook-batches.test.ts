import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { createDeliveriesStore } from '../src/webhooks/deliveries/deliveries-store.ts';
import type { Held } from '../src/webhooks/deliveries/delivery-document.ts';
import { quietService } from './setting.ts';
import { publicId, type Received, recorder, webhookService } from './webhooks.ts';

const minute = 60_000;
const idsIn = (received: readonly Received[]) => received.flatMap(({ payload }) => payload.events.map(({ id }: { id: string }) => id));

test('a webhook with batch', async (t) => {
  const service = await webhookService(t);
  const deliveriesOf = async (account: ReturnType<typeof service.account>, id: string) =>
    (await account.get(`/v2/webhooks/${id}/deliveries`)).data.items;

  await t.test('gets several events in one signed request, each once and at most `max` of them', async (t) => {
    const account = service.account();
    const { received, url } = await recorder(t);
    const { id, secret } = await service.create(account, url, { batch: { max: 4, wait_ms: 60_000 } });
    const sent = await Promise.all(Array.from({ length: 10 }, () => service.contactCreated(account)));
    await eventually(async () => (await deliveriesOf(account, id)).length === 10);
    // Two batches are full. One that is under way when the clock moves would be sent again, as after a crash.
    const isDelivered = ({ status }: { status: string }) => status === 'delivered';
    await eventually(async () => (await deliveriesOf(account, id)).filter(isDelivered).length === 8);
    service.pass(minute);
    await eventually(async () => idsIn(received).length >= 10);
    assert.deepEqual(idsIn(received).sort(), sent.map(publicId).sort());
    assert.ok(received.length <= 4, `${received.length} requests`);
    for (const { headers, body, payload } of received) {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      assert.deepEqual([payload.type, payload.account_id, headers['webhook-id']], ['batch', account.accountId, payload.id]);
      assert.ok(payload.events.length <= 4);
    }
    const deliveries = await eventually(async () => {
      const items = await deliveriesOf(account, id);
      return items.every(isDelivered) && items;
    });
    const batches = new Set(deliveries.map(({ batch_id }: { batch_id: string }) => batch_id));
    assert.deepEqual(batches, new Set(received.map(({ payload }) => payload.id)));
  });

  await t.test('waits for others only as long as it says', async (t) => {
    const account = service.account();
    const { received, url } = await recorder(t);
    await service.create(account, url, { batch: { max: 100, wait_ms: 100 } });
    await service.contactCreated(account);
    await eventually(async () => received.length === 1);
  });

  await t.test('gets a failed batch again with the same ID and events, however many have joined the queue', async (t) => {
    const account = service.account();
    const { received, url } = await recorder(t, (response) => response.writeHead(received.length === 1 ? 500 : 200).end());
    const { id } = await service.create(account, url, { batch: { max: 100, wait_ms: 60_000 } });
    for (let count = 0; count < 3; count += 1) await service.contactCreated(account);
    await eventually(async () => (await deliveriesOf(account, id)).length === 3);
    service.pass(minute);
    await eventually(async () => (await deliveriesOf(account, id)).every((one: { attempt_count: number }) => one.attempt_count === 1));
    await service.contactCreated(account);
    await eventually(async () => (await deliveriesOf(account, id)).length === 4);
    service.pass(2 * minute);
    await eventually(async () => received.length === 3);
    const [first, ...later] = received;
    const again = later.find(({ payload }) => payload.id === first?.payload.id);
    assert.equal(again?.body, first?.body);
    assert.equal(new Set(idsIn(received)).size, 4);
    assert.notEqual(again?.headers['webhook-signature'], first?.headers['webhook-signature']);
  });

  await t.test('gets a replayed event in another batch', async (t) => {
    const account = service.account();
    const { received, url } = await recorder(t);
    const { id } = await service.create(account, url, { batch: { wait_ms: 0 } });
    await service.contactCreated(account);
    const delivery = await eventually(async () =>
      (await deliveriesOf(account, id)).find((one: { status: string }) => one.status === 'delivered'),
    );
    await account.post(`/v2/webhooks/deliveries/${delivery.id}/replay`);
    await eventually(async () => received.length === 2);
    const [first, second] = received;
    assert.notEqual(first?.payload.id, second?.payload.id);
    assert.deepEqual(first?.payload.events, second?.payload.events);
  });

  await t.test('gets test events in a batch, and single ones once the setting is removed', async (t) => {
    const account = service.account();
    const { received, url } = await recorder(t);
    const { id } = await service.create(account, url, { batch: { max: 10, wait_ms: 0 } });
    assert.equal((await account.post(`/v2/webhooks/${id}/test`)).data.status, 'delivered');
    assert.deepEqual([received[0]?.payload.type, received[0]?.payload.events[0].test], ['batch', true]);
    assert.equal((await account.put(`/v2/webhooks/${id}`, { batch: null })).data.batch, null);
    const event = await service.contactCreated(account);
    await eventually(async () => received[1]?.payload.id === publicId(event));
    for (const batch of [{ max: 0 }, { max: 101 }, { wait_ms: 60_001 }, { size: 1 }])
      assert.equal((await account.put(`/v2/webhooks/${id}`, { batch })).status, 400);
  });
});

test('a batch never gets an event after its first attempt, and none is in two, whatever concurrent workers do', async (t) => {
  const { parts } = await quietService(t);
  const deliveries = createDeliveriesStore(parts.mongo, parts.cursors);
  const step = fc.record({
    what: fc.constantFrom('add', 'claim', 'claim', 'twice', 'fail', 'deliver', 'crash', 'retry'),
    count: fc.integer({ min: 1, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const webhookId = newId('webhook');
      const accountId = newId('account');
      let now = new Date('2026-05-01T10:00:00.000Z');
      const flying: Held[][] = [];
      const contents = new Map<string, Set<string>>();
      const batchOf = new Map<string, string>();
      const claim = async () => {
        const leaseUntil = new Date(now.getTime() + 45_000);
        const { held } = await deliveries.claimBatch({ webhookId, batch: { max: 3, wait_ms: 0 }, now, leaseUntil });
        const [first] = held;
        if (!first) return;
        const batchId = first.batchId ?? '';
        const events = new Set(held.map(({ eventId }) => eventId));
        assert.ok(events.size === held.length && events.size <= 3);
        const before = contents.get(batchId);
        if (before)
          assert.ok(
            [...events].every((event) => before.has(event)),
            'an event joined a batch that was tried',
          );
        contents.set(batchId, events);
        for (const event of events) assert.equal(batchOf.get(event) ?? batchId, batchId, 'an event is in two batches');
        for (const event of events) batchOf.set(event, batchId);
        assert.ok(!flying.some(([other]) => other?.batchId === batchId), 'a batch is sent twice at once');
        flying.push(held);
      };
      const attempt = { at: now.toISOString(), status_code: 500, duration_ms: 1, error: 'e', response: null };
      const settle = (held: readonly Held[], ok: boolean) =>
        deliveries.settle(
          held.map((one) =>
            ok
              ? { held: one, attempt: { ...attempt, error: null }, status: 'delivered', nextAt: null }
              : { held: one, attempt, status: 'pending', nextAt: new Date(now.getTime() + 5_000) },
          ),
        );
      for (const { what, count } of steps) {
        now = new Date(now.getTime() + 1_000);
        if (what === 'add') {
          const payload = { type: 'contact.created', timestamp: now.toISOString(), account_id: accountId, data: {}, cause: 'api' };
          const queued = Array.from({ length: count }, () => ({ webhookId, payload: { ...payload, id: newId('event') }, contactIds: [] }));
          await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => deliveries.add(tx, queued, now));
        }
        if (what === 'claim') await claim();
        if (what === 'twice') await Promise.all([claim(), claim()]);
        const held = what === 'fail' || what === 'deliver' || what === 'crash' ? flying.shift() : undefined;
        if (held && what === 'fail') await settle(held, false);
        if (held && what === 'deliver') await settle(held, true);
        // Some of its deliveries are settled when the process is killed.
        if (held && what === 'crash') {
          await settle(held.slice(0, count), false);
          now = new Date(now.getTime() + 60_000);
          flying.length = 0;
        }
        if (what === 'retry') await deliveries.retryNow(webhookId, now);
      }
    }),
    { numRuns: 15 },
  );
});
