import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { routesOnly, smallest } from '../../test/setting.ts';
import { createCampaignsStore } from './campaigns-store.ts';
import { createPublishAudience } from './publish-audience.ts';

test('simultaneous sends of one campaign', async (t) => {
  const parts = await testParts(t, 'campaigns');
  /** How often each request has started its transaction. */
  const begun = new Map<string, number>();
  const { transaction } = parts.mongo;
  const counted: typeof transaction = (origin, work, options) =>
    transaction(
      origin,
      (tx) => {
        begun.set(tx.correlationId, (begun.get(tx.correlationId) ?? 0) + 1);
        return work(tx);
      },
      options,
    );
  t.mock.method(parts.mongo, 'transaction', counted);
  const { app } = await testService(t, parts, routesOnly());
  const owner = testClient(app);
  const create = async () => (await owner.post('/v2/campaigns', smallest)).data.id;
  const sendEight = (id: string, keyed: boolean) =>
    Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        owner.post(`/v2/campaigns/${id}/send`, {}, keyed ? { 'idempotency-key': `${id}-${index}` } : {}),
      ),
    );
  const outcomes = (responses: Awaited<ReturnType<typeof sendEight>>) => responses.map(({ status, error }) => error?.code ?? status).sort();
  const refused = (count: number) => Array.from({ length: count }, () => 'INVALID_STATE');

  await t.test('accepts one of eight and rejects the others with INVALID_STATE', async () => {
    for (const keyed of [false, true]) assert.deepEqual(outcomes(await sendEight(await create(), keyed)), [202, ...refused(7)]);
  });

  await t.test('eight with the same Idempotency-Key all get the response of the one that took effect', async () => {
    for (const id of await Promise.all(Array.from({ length: 10 }, create))) {
      const twins = Array.from({ length: 8 }, () => owner.post(`/v2/campaigns/${id}/send`, {}, { 'idempotency-key': `${id}-twin` }));
      assert.deepEqual(outcomes(await Promise.all(twins)), Array(8).fill(202));
    }
  });

  await t.test('the other sends wait while one is slow', async (t) => {
    const id = await create();
    const campaigns = createCampaignsStore(parts.mongo.db, parts.cursors, createPublishAudience(parts.outbox), parts.outbox);
    const held = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const first = parts.mongo.transaction({ correlationId: 'test', causationId: null }, async (tx) => {
      await campaigns.transition(tx, owner.accountId, { id, name: 'send', action: 'sent' });
      held.resolve();
      await over.promise;
    });
    await held.promise;
    begun.clear();
    const responses = sendEight(id, true);
    const attempts = () => [...begun.values()].reduce((total, count) => total + count, 0);
    // Each has met the conflict, and the first of them in line has repeated.
    await eventually(async () => begun.size === 8 && attempts() >= 10);
    // Longer than a request waits for a concurrent one with the same key.
    const now = Date.now;
    t.mock.method(Date, 'now', () => now() + 2_300);
    begun.clear();
    await eventually(async () => attempts() >= 2);
    over.resolve();
    assert.deepEqual(outcomes(await responses), refused(8));
    await first;
  });
});
