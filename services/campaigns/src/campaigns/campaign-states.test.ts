import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CampaignId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { routesOnly, smallest } from '../../test/setting.ts';
import { allowed, campaignStatuses, type TransitionName, transitions, workOf } from './campaign-states.ts';
import { createCampaignsStore } from './campaigns-store.ts';
import { createPublishAudience } from './publish-audience.ts';

const names = Object.keys(transitions) as TransitionName[];

test('campaign state transitions', async (t) => {
  await t.test('every status is reachable from draft, cancelled is final, and failed can only be sent again', () => {
    const reached = new Set<string>(['draft']);
    for (let before = 0; before !== reached.size; ) {
      before = reached.size;
      for (const { from, to } of Object.values(transitions)) if (from.some((status) => reached.has(status))) reached.add(to);
    }
    assert.deepEqual([...reached].sort(), [...campaignStatuses].sort());
    const next = (status: 'cancelled' | 'failed') => names.filter((name) => allowed(name, status));
    assert.deepEqual([next('cancelled'), next('failed')], [[], ['request_approval', 'schedule', 'send']]);
  });

  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  const campaigns = createCampaignsStore(parts.mongo.db, parts.cursors, createPublishAudience(parts.outbox), parts.outbox);

  await t.test('the store follows the transition table on any path, even with concurrent transitions', async () => {
    const owner = testClient(app);
    const move = (id: CampaignId, name: TransitionName) =>
      parts.mongo
        .transaction({ correlationId: 'walk', causationId: null }, (tx) =>
          campaigns.transition(tx, owner.accountId, { id, name, action: name }),
        )
        .then(
          ({ status }) => status,
          ({ code }: { code: string }) => code,
        );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 8 }), async (walk) => {
        const { id } = (await owner.post('/v2/campaigns', smallest)).data;
        let status: (typeof campaignStatuses)[number] = 'draft';
        for (const name of walk) {
          const outcome = await move(id, name);
          if (allowed(name, status)) status = transitions[name].to;
          assert.equal(outcome, allowed(name, status) || outcome === status ? outcome : 'INVALID_STATE');
          const row = await parts.mongo.db.collection('campaigns').findOne({ _id: id as never });
          assert.deepEqual([row?.status, row?.work ?? null], [status, workOf[status]]);
        }
      }),
      { numRuns: 15 },
    );
    const { id } = (await owner.post('/v2/campaigns', smallest)).data;
    const outcome = await Promise.all([move(id, 'send'), move(id, 'send'), move(id, 'send')]);
    assert.deepEqual(outcome.sort(), ['INVALID_STATE', 'INVALID_STATE', 'freezing']);
  });
});
