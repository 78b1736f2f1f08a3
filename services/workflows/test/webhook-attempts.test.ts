import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { createDeliveriesStore } from '../src/webhooks/deliveries/deliveries-store.ts';
import type { Held } from '../src/webhooks/deliveries/delivery-document.ts';
import type { Result } from '../src/webhooks/deliveries/settle.ts';
import { quietService } from './setting.ts';
import { recorder, webhookService } from './webhooks.ts';

const origin = { correlationId: 'test', causationId: null };

test('the log of attempts', async (t) => {
  const { parts } = await quietService(t);
  const { mongo, cursors } = parts;
  const deliveries = createDeliveriesStore(mongo, cursors);
  const now = new Date();
  const later = new Date(now.getTime() + 60_000);
  const muchLater = new Date(now.getTime() + 120_000);

  const result = (held: Held, response: string): Result => {
    const attempt = { at: now.toISOString(), status_code: 200, duration_ms: 1, error: null, response };
    return { held, attempt, status: 'delivered', nextAt: null };
  };
  async function queued() {
    const [accountId, webhookId, contactId] = [newId('account'), newId('webhook'), newId('contact')];
    const content = { type: 'contact.created', timestamp: now.toISOString(), account_id: accountId, data: {}, cause: 'api' };
    const one = { webhookId, payload: { ...content, id: newId('event') }, contactIds: [contactId] };
    await mongo.transaction(origin, (tx) => deliveries.add(tx, [one], now));
    const claim = async (at: Date, until: Date) => {
      const [held = assert.fail()] = await deliveries.claim([{ webhookId, limit: 32 }], at, until);
      return held;
    };
    const read = async () => {
      const { items } = await deliveries.list(accountId, webhookId, { limit: 10, sort: '-created_at' });
      const [listed = assert.fail()] = items;
      const { attempts, status, attempt_count } = await deliveries.get(accountId, listed.id);
      assert.deepEqual(listed.last_attempt, attempts.at(-1) ?? null);
      return { status, attempt_count, responses: attempts.map(({ response }) => response) };
    };
    return { accountId, webhookId, contactId, claim, read };
  }

  await t.test('has an attempt once that a process repeated because another one was killed', async () => {
    const { claim, read } = await queued();
    const killed = await claim(now, later);
    await mongo.db.collection('webhook_deliveries').updateOne({ event_id: killed.eventId }, { $set: { claim: 'another' } });
    await deliveries.settle([result(killed, 'killed')]);
    assert.deepEqual(await read(), { status: 'pending', attempt_count: 0, responses: [] });
    await deliveries.settle([result(await claim(later, muchLater), 'repeated')]);
    assert.deepEqual(await read(), { status: 'delivered', attempt_count: 1, responses: ['repeated'] });
  });

  await t.test('keeps what the holder of the delivery recorded', async () => {
    const { claim, read } = await queued();
    const stalled = await claim(now, later);
    await deliveries.settle([result(await claim(later, muchLater), 'holder')]);
    await deliveries.settle([result(stalled, 'stalled')]);
    assert.deepEqual(await read(), { status: 'delivered', attempt_count: 1, responses: ['holder'] });
  });

  await t.test('loses what receivers said about an erased contact', async () => {
    const { accountId, contactId, claim } = await queued();
    await deliveries.settle([result(await claim(now, later), 'Hello Ada')]);
    const stored = () => mongo.db.collection('webhook_attempts').countDocuments({ account_id: accountId });
    assert.equal(await stored(), 1);
    await deliveries.erase(accountId, [contactId]);
    assert.equal(await stored(), 0);
  });
});

test('deliveries of an earlier release, with their attempts and claims, are finished', async (t) => {
  const service = await webhookService(t);
  const account = service.account();
  let isDown = true;
  const { received, url } = await recorder(t, (response) => response.writeHead(isDown ? 500 : 200).end());
  const { id } = await service.create(account, url);
  const now = service.clock().getTime();
  const attempt = (ago: number) => ({
    ...{ at: new Date(now - ago), status_code: 500, duration_ms: 5, error: 'Responded with 500; expected 2xx.', response: 'earlier' },
  });
  const row = (more: object) => {
    const event_id = newId('event');
    return {
      ...{ _id: newId('delivery'), account_id: account.accountId, webhook_id: id, event_id, type: 'contact.created' },
      ...{ status: 'pending', payload: JSON.stringify({ id: event_id }), contact_ids: [], attempts: [], attempt_count: 0, tries: 0 },
      ...{ due_at: new Date(now - 1_000), created_at: new Date(now - 60_000), ...more },
    };
  };
  const tried = { attempts: [attempt(20_000), attempt(10_000)], attempt_count: 2, tries: 2, last_attempt_at: new Date(now - 10_000) };
  // The second is held by a process that was killed.
  const rows = [row(tried), row({ ...tried, claim: 'killed' }), row({ claim: 'killed too' })];
  await service.parts.mongo.db.collection<{ _id: string }>('webhook_deliveries').insertMany(rows);

  const read = async ({ _id }: { _id: string }) => (await account.get(`/v2/webhooks/deliveries/${_id}`)).data;
  const counts = async () => Promise.all(rows.map(async (one) => (await read(one)).attempt_count));
  service.pass(0);
  await eventually(async () => (await counts()).join() === '3,3,1');
  isDown = false;
  service.pass(60 * 60_000);
  await eventually(async () => (await Promise.all(rows.map(read))).every(({ status }) => status === 'delivered'));
  assert.deepEqual(await counts(), [4, 4, 2]);
  const [first] = rows;
  const { attempts } = await read(first ?? assert.fail());
  assert.deepEqual(
    attempts.map(({ status_code, response }: { status_code: number; response: string }) => [status_code, response]),
    [
      [500, 'earlier'],
      [500, 'earlier'],
      [500, ''],
      [200, ''],
    ],
  );
  const { data } = await account.get(`/v2/webhooks/${id}`);
  assert.deepEqual([data.health.attempts, data.health.success_rate, data.health.pending], [10, 0.3, 0]);
  const { items } = (await account.get(`/v2/webhooks/${id}/deliveries`)).data;
  assert.deepEqual([...new Set(items.map((one: { last_attempt: { status_code: number } }) => one.last_attempt.status_code))], [200]);
  assert.equal(received.length, 6);
});
