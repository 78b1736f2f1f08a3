import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AudienceChanged } from '@mp/contracts/events/campaigns';
import { ReferencesChanged } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { publish } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const definition = { field: 'tags', op: 'contains', value: 'vip' };

test('deleting a segment that is in use', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const account = testClient(app);
  const { accountId } = account;
  const create = async (name: string, rule: object = definition): Promise<string> =>
    (await account.post('/v2/segments', { name, definition: rule })).data.id;
  const used = await create('Used');
  const campaign = { campaign_id: newId('campaign'), name: 'Autumn offer' };
  const workflow = { workflow_id: newId('workflow'), name: 'Welcome' };
  const uses = (revision: number, ...segment_ids: string[]) => ({ revision, segment_ids });
  const refusal = async (client = account) => (await client.delete(`/v2/segments/${used}`)).error;
  const typesOf = (error: { details?: { type: string }[] } | undefined) => error?.details?.map(({ type }) => type) ?? [];

  await t.test('is rejected, and everything that uses it is named', async () => {
    const nested = await create('Nested', { segment: used });
    await publish(parts, AudienceChanged, accountId, { ...campaign, ...uses(1, used) });
    await publish(parts, ReferencesChanged, accountId, { ...workflow, ...uses(3, newId('segment'), used) });
    const error = await eventually(async () => {
      const found = await refusal();
      return typesOf(found).length === 3 && found;
    });
    assert.equal(error.code, 'INVALID_STATE');
    assert.deepEqual(
      error.details.map(({ type, id, name }: Record<string, string>) => ({ type, id, name })),
      [
        { type: 'segment', id: nested, name: 'Nested' },
        { type: 'campaign', id: campaign.campaign_id, name: 'Autumn offer' },
        { type: 'workflow', id: workflow.workflow_id, name: 'Welcome' },
      ],
    );
    assert.match(error.message, /Nested.*Autumn offer.*Welcome/);
    const narrow = await refusal(account.as({ scopes: ['segments:read', 'segments:write'] }));
    assert.ok(!JSON.stringify(narrow).includes('Autumn'), 'the caller cannot read campaigns');
    assert.deepEqual(typesOf(narrow), ['segment', 'campaign', 'workflow']);
    assert.equal((await account.delete(`/v2/segments/${nested}`)).status, 200);
  });

  await t.test('a late event with an older revision changes nothing', async () => {
    await publish(parts, AudienceChanged, accountId, { ...campaign, ...uses(3) });
    await eventually(async () => !typesOf(await refusal()).includes('campaign'));
    const late = await publish(parts, AudienceChanged, accountId, { ...campaign, ...uses(2, used) });
    await eventually(async () => parts.mongo.db.collection<{ _id: string }>('inbox').findOne({ _id: `segments-audiences ${late.id}` }));
    assert.deepEqual(typesOf(await refusal()), ['workflow']);
  });

  await t.test('ignores references of another account, and succeeds once nothing uses the segment', async () => {
    await publish(parts, AudienceChanged, newId('account'), { campaign_id: newId('campaign'), name: 'Foreign', ...uses(1, used) });
    await publish(parts, ReferencesChanged, accountId, { ...workflow, ...uses(4) });
    await eventually(async () => (await account.delete(`/v2/segments/${used}`)).status === 200);
    assert.equal((await account.get(`/v2/segments/${used}`)).status, 404);
  });
});
