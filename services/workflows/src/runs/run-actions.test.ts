import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { knownContact, knownContacts, quietService, startedRun } from '../../test/setting.ts';

test('actions on runs', async (t) => {
  const { app, parts } = await quietService(t);
  const account = testClient(app);
  const started = (client: Client) => startedRun(parts, client);
  const guarantee = (url: (client: Client) => Promise<string>, body: object) =>
    guaranteeRoute(t, app, { method: 'POST', scope: 'workflows:write', url, body });
  await guarantee(async (client) => `/v2/workflows/runs/${(await started(client)).runId}/skip`, {});
  await guarantee(async (client) => `/v2/workflows/runs/${(await started(client)).runId}/rerun-from`, { step_id: 'wait' });
  await guarantee(async (client) => `/v2/workflows/${(await started(client)).workflow.id}/runs/actions`, { action: 'cancel' });

  await t.test('skip ends the current step and continues with the next', async () => {
    const { runId } = await started(account);
    const { data } = await account.post(`/v2/workflows/runs/${runId}/skip`);
    assert.deepEqual([data.step_id, data.waiting_for], ['tag', 'effect']);
    const { log } = (await account.get(`/v2/workflows/runs/${runId}`)).data;
    assert.deepEqual(
      log.slice(-2).map(({ event }: { event: string }) => event),
      ['skipped', 'requested'],
    );
    const { data: ended } = await account.post(`/v2/workflows/runs/${runId}/skip`);
    assert.equal(ended.state, 'completed');
    assert.equal((await account.post(`/v2/workflows/runs/${runId}/skip`)).error.code, 'INVALID_STATE');
  });

  await t.test('rerun-from continues an open or an ended run from a step, unless the contact has re-entered', async () => {
    const { workflow, contactId, runId } = await started(account);
    const rerun = (step_id: string) => account.post(`/v2/workflows/runs/${runId}/rerun-from`, { step_id });
    assert.equal((await rerun('tag')).data.step_id, 'tag');
    await account.post(`/v2/workflows/runs/${runId}/cancel`);
    const again = await rerun('wait');
    assert.deepEqual([again.data.state, again.data.step_id, again.data.ended_at], ['waiting', 'wait', null]);
    const unknown = await rerun('nowhere');
    assert.deepEqual([unknown.status, unknown.error.details[0].path], [400, '/step_id']);
    await account.post(`/v2/workflows/runs/${runId}/cancel`);
    assert.equal((await account.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: contactId })).status, 202);
    assert.equal((await rerun('wait')).error.code, 'CONFLICT');
  });

  await t.test('an action on many runs changes those that match, and reports those it cannot change', async () => {
    const { workflow, contactId, runId } = await started(account);
    const ids = await knownContacts(parts, account.accountId, 60);
    await account.post(`/v2/workflows/${workflow.id}/trigger`, { contacts: ids.map((contact_id) => ({ contact_id })) });
    const act = (body: object) => account.post(`/v2/workflows/${workflow.id}/runs/actions`, body);
    const skipped = await act({ action: 'skip', filter: { step_id: 'wait', contact_ids: [contactId] } });
    assert.deepEqual(skipped.data, { changed: 1, failed: [], has_more: false });
    assert.equal((await account.get(`/v2/workflows/runs/${runId}`)).data.step_id, 'tag');
    assert.deepEqual((await act({ action: 'cancel' })).data, { changed: 50, failed: [], has_more: true });
    assert.deepEqual((await act({ action: 'cancel' })).data, { changed: 11, failed: [], has_more: false });
    await account.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: contactId });
    const filter = { state: 'cancelled', contact_ids: [contactId, ids[0]] };
    const { data } = await act({ action: 'rerun_from', step_id: 'tag', filter });
    assert.deepEqual(
      [data.changed, data.failed.map((one: { run_id: string; error: { code: string } }) => [one.run_id, one.error.code])],
      [1, [[runId, 'CONFLICT']]],
    );
    for (const [body, path] of [
      [{ action: 'skip' }, '/filter/step_id'],
      [{ action: 'rerun_from' }, '/step_id'],
      [{ action: 'cancel', step_id: 'wait' }, '/step_id'],
      [{ action: 'retry', filter: { state: 'completed' } }, '/filter/status'],
    ] as const) {
      const response = await act(body);
      assert.deepEqual([response.status, response.error.details[0].path], [400, path]);
    }
  });

  await t.test('nothing continues while the workflow is paused', async () => {
    const { workflow, runId } = await started(account);
    await account.post(`/v2/workflows/${workflow.id}/pause`);
    assert.equal((await account.post(`/v2/workflows/runs/${runId}/skip`)).error.code, 'INVALID_STATE');
    assert.equal((await account.post(`/v2/workflows/runs/${runId}/rerun-from`, { step_id: 'wait' })).error.code, 'INVALID_STATE');
    assert.equal((await account.post(`/v2/workflows/runs/${runId}/cancel`)).data.state, 'cancelled');
    await knownContact(parts, account.accountId);
  });
});
