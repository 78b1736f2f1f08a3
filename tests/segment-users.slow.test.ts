import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKeyring } from '@mp/contracts/keyring';
import { createMetrics } from '@mp/service-kit/metrics';
import type { Parts } from '@mp/service-kit/service-parts';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp as buildCampaigns } from '../services/campaigns/src/app.ts';
import { buildApp as buildSegments } from '../services/segments/src/app.ts';
import { buildApp as buildWorkflows } from '../services/workflows/src/app.ts';

const keys = parseKeyring(`test:${Buffer.alloc(32, 3).toString('base64url')}`);
const inCampaigns = (parts: Parts) =>
  buildCampaigns(parts, { LINK_KEYS: keys, PUBLIC_URL: 'http://mail.test', SMTP_URL: 'smtp://127.0.0.1:1', SMTP_CONNECTIONS: 1 });
const inWorkflows = (parts: Parts) => buildWorkflows(parts, { NODE_ENV: 'test', WEBHOOK_KEYS: keys, WEBHOOK_ALLOW_PRIVATE: false });

const definition = { field: 'tags', op: 'contains', value: 'vip' };
const mail = { subject: 'Hi', from: { email: 'news@example.com' }, html: '<p>Hi</p>' };
const wait = { id: 'wait', type: 'delay', for: 'PT1S' };

test('a segment in use cannot be deleted, from the moment the use is confirmed', async (t) => {
  const segmentsParts = await testParts(t, 'segments');
  const { app } = await testService(t, segmentsParts, buildSegments, { live: true });
  const campaignsParts = await testParts(t, 'campaigns');
  const campaignsApp = (await testService(t, campaignsParts, inCampaigns, { live: true })).app;
  const workflowsParts = await testParts(t, 'workflows');
  const workflowsApp = (await testService(t, workflowsParts, inWorkflows, { live: true })).app;
  const segments = testClient(app).patient();
  const campaigns = testClient(campaignsApp, { account_id: segments.accountId }).patient();
  const workflows = testClient(workflowsApp, { account_id: segments.accountId }).patient();
  let made = 0;
  const create = async (): Promise<string> => {
    made += 1;
    return (await segments.post('/v2/segments', { name: `Segment ${made}`, definition })).data.id;
  };
  const remove = (id: string) => segments.delete(`/v2/segments/${id}`);
  const refusedFor = async (id: string) => {
    const { status, error } = await remove(id);
    assert.equal(status, 409);
    return error.details.map((user: { type: string; id: string }) => `${user.type} ${user.id}`);
  };

  await t.test('a draft, with its current audience, and a scheduled campaign', async () => {
    const [included, excluded, other] = [await create(), await create(), await create()];
    const audience = { include: [included], exclude: [excluded] };
    const { data: campaign } = await campaigns.post('/v2/campaigns', { name: 'Draft', ...mail, audience });
    assert.deepEqual(await refusedFor(included), [`campaign ${campaign.id}`]);
    assert.deepEqual(await refusedFor(excluded), [`campaign ${campaign.id}`]);
    await campaigns.put(`/v2/campaigns/${campaign.id}`, { audience: { include: [other] } });
    assert.equal((await remove(included)).status, 200);
    const scheduled = await campaigns.post(`/v2/campaigns/${campaign.id}/send`, {
      schedule_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    assert.equal(scheduled.status, 202, scheduled.text);
    assert.deepEqual(await refusedFor(other), [`campaign ${campaign.id}`]);
    await campaigns.post(`/v2/campaigns/${campaign.id}/cancel`);
    assert.equal((await remove(other)).status, 200, 'a cancelled campaign no longer uses it');
    const { data: draft } = await campaigns.post('/v2/campaigns', { name: 'Gone', ...mail, audience: { include: [excluded] } });
    await campaigns.delete(`/v2/campaigns/${draft.id}`);
    assert.equal((await remove(excluded)).status, 200, 'a deleted draft no longer uses it');
  });

  await t.test('a workflow in its trigger or a branch, until it is archived or deleted', async () => {
    const [trigger, branch] = [await create(), await create()];
    const steps = [
      { id: 'ask', type: 'branch', branches: [{ when: { any: [definition, { not: { segment: branch } }] }, to: 'wait' }] },
      wait,
    ];
    const { data: workflow } = await workflows.post('/v2/workflows', {
      name: 'Welcome',
      trigger: { type: 'segment_entered', segment_id: trigger },
      steps,
    });
    assert.deepEqual(await refusedFor(trigger), [`workflow ${workflow.id}`]);
    assert.deepEqual(await refusedFor(branch), [`workflow ${workflow.id}`]);
    await workflows.put(`/v2/workflows/${workflow.id}`, { trigger: { type: 'manual' } });
    assert.equal((await remove(trigger)).status, 200);
    await workflows.post(`/v2/workflows/${workflow.id}/archive`);
    assert.equal((await remove(branch)).status, 200);
    const third = await create();
    const { data: again } = await workflows.post('/v2/workflows', {
      name: 'Again',
      trigger: { type: 'segment_left', segment_id: third },
      steps: [wait],
    });
    assert.deepEqual(await refusedFor(third), [`workflow ${again.id}`]);
    await workflows.delete(`/v2/workflows/${again.id}`);
    assert.equal((await remove(third)).status, 200);
  });

  await t.test('campaigns and workflows from before references were published', async () => {
    const [first, second] = [await create(), await create()];
    await campaigns.post('/v2/campaigns', { name: 'Old', ...mail, audience: { include: [first] } });
    await workflows.post('/v2/workflows', { name: 'Old', trigger: { type: 'segment_entered', segment_id: second }, steps: [wait] });
    for (const id of [first, second]) await refusedFor(id);
    const known = segmentsParts.mongo.db.collection('references');
    await known.deleteMany({});
    // The next release starts with the same databases.
    for (const [parts, build] of [
      [campaignsParts, inCampaigns],
      [workflowsParts, inWorkflows],
    ] as const) {
      await parts.mongo.db.collection('once').deleteMany({});
      const release = build({ ...parts, metrics: createMetrics(parts.name) });
      for (const part of release.background ?? []) part.start();
      t.after(async () => {
        for (const part of release.background ?? []) await part.stop();
      });
    }
    await eventually(async () => (await known.countDocuments({ segment_ids: { $in: [first, second] } })) === 2);
    for (const id of [first, second]) await refusedFor(id);
  });
});
