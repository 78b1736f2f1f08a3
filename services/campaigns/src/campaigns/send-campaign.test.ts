import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import { routesOnly, smallest } from '../../test/setting.ts';
import { createCampaignsStore } from './campaigns-store.ts';
import { createPublishAudience } from './publish-audience.ts';

test('simultaneous sends of one campaign', async (t) => {
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  const owner = testClient(app);
  const create = async () => (await owner.post('/v2/campaigns', smallest)).data.id;
  const sendEight = (id: string, keyed: boolean) =>
    Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        owner.post(`/v2/campaigns/${id}/send`, {}, keyed ? { 'idempotency-key': `${id}-${index}` } : {}),
      ),
    );
  const told = (answers: Awaited<ReturnType<typeof sendEight>>) => answers.map(({ status, error }) => error?.code ?? status).sort();
  const refused = (count: number) => Array.from({ length: count }, () => 'INVALID_STATE');

  await t.test('one of eight is accepted, and the others learn the state', async () => {
    for (const keyed of [false, true]) assert.deepEqual(told(await sendEight(await create(), keyed)), [202, ...refused(7)]);
  });

  await t.test('the others wait for one that takes long', async () => {
    const id = await create();
    const campaigns = createCampaignsStore(parts.mongo.db, parts.cursors, createPublishAudience(parts.outbox));
    const held = Promise.withResolvers<void>();
    const first = parts.mongo.transaction({ correlationId: 'test', causationId: null }, async (tx) => {
      await campaigns.transition(tx, owner.accountId, id, 'send', 'sent');
      held.resolve();
      // Longer than a request waits for its own twin.
      await sleep(2_300);
    });
    await held.promise;
    assert.deepEqual(told(await sendEight(id, true)), refused(8));
    await first;
  });
});
