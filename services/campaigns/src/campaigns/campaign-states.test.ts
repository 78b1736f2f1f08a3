import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import fc from 'fast-check';
import { routesOnly, smallest } from '../../test/setting.ts';
import { allowed, campaignStatuses, type TransitionName, transitions, workOf } from './campaign-states.ts';
import { createCampaignsStore } from './campaigns-store.ts';
import { createPublishAudience } from './publish-audience.ts';

const names = Object.keys(transitions) as TransitionName[];

test('the table of transitions', async (t) => {
  await t.test('reaches every status from draft, and nothing leaves what is over', () => {
    const reached = new Set<string>(['draft']);
    for (let before = 0; before !== reached.size; ) {
      before = reached.size;
      for (const { from, to } of Object.values(transitions)) if (from.some((status) => reached.has(status))) reached.add(to);
    }
    assert.deepEqual([...reached].sort(), [...campaignStatuses].sort());
    for (const over of ['cancelled', 'failed'] as const)
      assert.deepEqual(
        names.filter((name) => allowed(name, over)),
        [],
      );
  });

  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  const campaigns = createCampaignsStore(parts.mongo.db, parts.cursors, createPublishAudience(parts.outbox));

  await t.test('is what the store does on any walk, also when two walk at once', async () => {
    const owner = testClient(app);
    const move = (id: string, name: TransitionName) =>
      parts.mongo
        .transaction({ correlationId: 'walk', causationId: null }, (tx) => campaigns.transition(tx, owner.accountId, id, name, name))
        .then(
          ({ status }) => status,
          ({ code }: { code: string }) => code,
        );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 8 }), async (walk) => {
        const { id } = (await owner.post('/v2/campaigns', smallest)).data;
        let status: (typeof campaignStatuses)[number] = 'draft';
        for (const name of walk) {
          const told = await move(id, name);
          if (allowed(name, status)) status = transitions[name].to;
          assert.equal(told, allowed(name, status) || told === status ? told : 'INVALID_STATE');
          const row = await parts.mongo.db.collection('campaigns').findOne({ _id: id as never });
          assert.deepEqual([row?.status, row?.work ?? null], [status, workOf[status]]);
        }
      }),
      { numRuns: 15 },
    );
    const { id } = (await owner.post('/v2/campaigns', smallest)).data;
    const told = await Promise.all([move(id, 'send'), move(id, 'send'), move(id, 'send')]);
    assert.deepEqual(told.sort(), ['INVALID_STATE', 'INVALID_STATE', 'freezing']);
  });
});
