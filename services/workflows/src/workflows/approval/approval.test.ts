import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkflowApprovalChanged } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { writtenEvents } from '@mp/test-kit/written-events';
import { quietService, smallest } from '../../../test/setting.ts';

test('a workflow whose activation needs the approval of a second person', async (t) => {
  const { app, parts } = await quietService(t);
  const url = async (client: Client) => `/v2/workflows/${(await client.post('/v2/workflows', smallest)).data.id}`;
  await guaranteeRoute(t, app, { method: 'GET', scope: 'workflows:read', url: async (client) => `${await url(client)}/approval` });
  for (const verb of ['approve', 'reject']) {
    const body = { revision: 1, comment: 'I have read it.' };
    const path = async (client: Client) => `${await url(client)}/${verb}`;
    await guaranteeRoute(t, app, { method: 'POST', scope: 'workflows:activate', url: path, body, principal_id: newId('user') });
  }

  async function team() {
    const key = testClient(app);
    const user = (permission: 'admin' | 'read_write') => key.as({ principal_id: newId('user'), permission });
    const admin = user('admin');
    assert.equal((await admin.put('/v2/workflows/settings', { approval: 'always' })).status, 200);
    return { key, admin, ada: user('read_write'), bea: user('read_write') };
  }
  type Found = { id: string; revision: number };
  async function requested(client: Client, body: object = {}): Promise<Found> {
    const { id } = (await client.post('/v2/workflows', { ...smallest, status: 'draft', ...body })).data;
    const { status, data } = await client.post(`/v2/workflows/${id}/activate`);
    assert.deepEqual([status, data.status, data.activated_at], [202, 'awaiting_approval', null]);
    return { id, revision: data.revision };
  }
  const decide = (client: Client, verb: string, { id, revision }: Found, comment?: string) =>
    client.post(`/v2/workflows/${id}/${verb}`, { revision, ...(comment !== undefined && { comment }) });
  const read = async (client: Client, { id }: { id: string }) => (await client.get(`/v2/workflows/${id}`)).data;

  await t.test('waits, and is active once another user approves the revision that they saw', async () => {
    const { key, ada, bea } = await team();
    const pending = await requested(ada);
    assert.equal((await ada.post(`/v2/workflows/${pending.id}/activate`)).status, 409);
    for (const caller of [ada, key, key.as({ permission: 'admin' }), bea.as({ permission: 'read_only' })])
      assert.equal((await decide(caller, 'approve', pending)).status, 403);
    assert.equal((await decide(bea, 'approve', { ...pending, revision: 1 })).status, 412);
    const { status, data } = await decide(bea, 'approve', pending);
    assert.deepEqual([status, data.status, typeof data.activated_at], [200, 'active', 'string']);
  });

  await t.test('waits although it is created as active, and is a draft again after a rejection', async () => {
    const { key, bea } = await team();
    const { status, data } = await key.post('/v2/workflows', smallest);
    assert.deepEqual([status, data.status, data.activated_at], [201, 'awaiting_approval', null]);
    assert.equal((await decide(bea, 'reject', data, 'Not yet.')).data.status, 'draft');
    const { comment, status: decision } = (await key.get(`/v2/workflows/${data.id}/approval`)).data;
    assert.deepEqual([decision, comment], ['rejected', 'Not yet.']);
  });

  await t.test('is a draft again after a change, and paused if it was active before; the approval shows what changed', async () => {
    const { key, ada, bea } = await team();
    const pending = await requested(ada);
    assert.equal((await ada.put(`/v2/workflows/${pending.id}`, { name: 'Other' })).data.status, 'draft');
    assert.equal((await decide(bea, 'approve', pending)).status, 409);
    const again = (await ada.post(`/v2/workflows/${pending.id}/activate`)).data;
    await decide(bea, 'approve', again);
    await ada.post(`/v2/workflows/${pending.id}/pause`);
    assert.equal(
      (await ada.post(`/v2/workflows/${pending.id}/activate`)).data.status,
      'active',
      'what was approved needs no approval again',
    );
    await ada.post(`/v2/workflows/${pending.id}/pause`);
    await ada.put(`/v2/workflows/${pending.id}`, { max_concurrent: 7 });
    assert.equal((await ada.post(`/v2/workflows/${pending.id}/activate`)).data.status, 'awaiting_approval');
    const { changes } = (await bea.get(`/v2/workflows/${pending.id}/approval`)).data;
    assert.deepEqual(
      changes.map(({ field }: { field: string }) => field),
      ['max_concurrent'],
    );
    assert.equal((await ada.post(`/v2/workflows/${pending.id}/pause`)).data.status, 'paused');
    const events = (await writtenEvents(parts.mongo.db, { accountId: key.accountId })).map(({ envelope }) => envelope);
    assert.deepEqual(
      events.flatMap(({ type, data }) => (type === WorkflowApprovalChanged.type ? WorkflowApprovalChanged.data.parse(data).change : [])),
      ['requested', 'withdrawn', 'requested', 'approved', 'requested', 'withdrawn'],
    );
  });

  await t.test('must be paused and approved again before what it does can be changed or it can enroll current contacts', async () => {
    const { ada, bea } = await team();
    const pending = await requested(ada, { trigger: { type: 'segment_entered', segment_id: newId('segment') } });
    await decide(bea, 'approve', pending);
    for (const response of [
      await ada.put(`/v2/workflows/${pending.id}`, { max_concurrent: 7 }),
      await ada.post(`/v2/workflows/${pending.id}/activate`, { include_current: true }),
    ])
      assert.deepEqual([response.status, response.error.details[0].code], [409, 'approval_required']);
    assert.equal((await ada.put(`/v2/workflows/${pending.id}`, { name: 'Renamed' })).status, 200);
    await ada.post(`/v2/workflows/${pending.id}/pause`);
    const current = await ada.post(`/v2/workflows/${pending.id}/activate`, { include_current: true });
    assert.deepEqual([current.data.status, current.data.enrollment], ['awaiting_approval', null]);
    assert.equal((await bea.get(`/v2/workflows/${pending.id}/approval`)).data.include_current, true);
    assert.equal((await decide(bea, 'approve', current.data)).data.enrollment.status, 'running');
  });

  await t.test('is approved once, however an edit and approvals race', async () => {
    const { ada, bea, admin } = await team();
    for (let round = 0; round < 5; round += 1) {
      const pending = await requested(ada);
      const [edit, ...approvals] = await Promise.all([
        ada.put(`/v2/workflows/${pending.id}`, { max_concurrent: 7 }),
        decide(bea, 'approve', pending),
        decide(admin, 'approve', pending),
      ]);
      const won = approvals.filter(({ status }) => status === 200).length;
      const { status, version, max_concurrent } = await read(ada, pending);
      assert.ok(won <= 1 && version === 1, edit?.text);
      assert.deepEqual([status, max_concurrent], won === 1 ? ['active', null] : ['draft', 7], 'only what was approved is active');
    }
  });

  await t.test('is required by a setting that only signed-in owners and admins change, and waits after it is switched off', async () => {
    const { key, ada, bea, admin } = await team();
    const pending = await requested(ada);
    for (const caller of [ada, key.as({ permission: 'admin' })])
      assert.equal((await caller.put('/v2/workflows/settings', { approval: 'off' })).status, 403);
    assert.equal((await admin.put('/v2/workflows/settings', { approval: 'off' })).status, 200);
    assert.equal((await read(key, pending)).status, 'awaiting_approval');
    assert.equal((await decide(bea, 'approve', pending)).data.status, 'active');
    const other = (await key.post('/v2/workflows', smallest)).data;
    assert.equal(other.status, 'active');
  });
});
