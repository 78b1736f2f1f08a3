import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { writtenEvents } from '@mp/test-kit/written-events';
import { knownContact, quietService, startedRun } from '../../test/setting.ts';
import { createRunsStore } from './runs-store.ts';

test('runs: list, get, cancel, retry', async (t) => {
  const { app, parts } = await quietService(t);
  const account = testClient(app);
  const runUrl = async (client: Client) => `/v2/workflows/runs/${(await startedRun(parts, client)).runId}`;
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'workflows:read',
    url: async (client) => `/v2/workflows/${(await startedRun(parts, client)).workflow.id}/runs`,
  });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'workflows:read', url: runUrl });
  for (const verb of ['cancel', 'retry']) {
    await guaranteeRoute(t, app, {
      method: 'POST',
      scope: 'workflows:write',
      url: async (client) => `${await runUrl(client)}/${verb}`,
      body: {},
    });
  }

  await t.test('lists by state and contact, page by page', async () => {
    const { workflow, contactId, runId } = await startedRun(parts, account);
    const contacts = [];
    for (let index = 0; index < 4; index += 1) contacts.push({ contact_id: await knownContact(parts, account.accountId) });
    const more = (await account.post(`/v2/workflows/${workflow.id}/trigger`, { contacts })).data.runs;
    const list = async (query: string) => (await account.get(`/v2/workflows/${workflow.id}/runs?${query}`)).data;
    assert.equal((await list('limit=100')).items.length, 5);
    assert.deepEqual(
      (await list(`contact_id=${contactId}`)).items.map(({ id }: { id: string }) => id),
      [runId],
    );
    await account.post(`/v2/workflows/runs/${more[0].run_id}/cancel`);
    assert.deepEqual(
      (await list('state=cancelled')).items.map(({ id }: { id: string }) => id),
      [more[0].run_id],
    );
    const seen = new Set<string>();
    for (let cursor = ''; ; ) {
      const page = await list(`limit=2${cursor && `&cursor=${cursor}`}`);
      for (const { id } of page.items) seen.add(id);
      if (!page.pagination.next_cursor) break;
      cursor = page.pagination.next_cursor;
    }
    assert.equal(seen.size, 5);
    assert.equal((await account.get(`/v2/workflows/${workflow.id}/runs?state=asleep`)).status, 400);
  });

  await t.test('shows the current step of a run and a readable log', async () => {
    const { workflow, contactId, runId } = await startedRun(parts, account);
    const { data } = await account.get(`/v2/workflows/runs/${runId}`);
    assert.deepEqual(
      [data.workflow_id, data.contact_id, data.state, data.step_id, data.waiting_for, data.trigger.type],
      [workflow.id, contactId, 'waiting', 'wait', 'time', 'api'],
    );
    assert.equal(Date.parse(data.wake_at) - Date.parse(data.created_at), 24 * 60 * 60 * 1_000);
    assert.deepEqual(
      data.log.map(({ text }: { text: string }) => text),
      ['Run started.', `wait: Waiting until ${data.wake_at}.`],
    );
  });

  await t.test('cancels an open run idempotently and lets the contact enter again', async () => {
    const { workflow, contactId, runId } = await startedRun(parts, account);
    const first = await account.post(`/v2/workflows/runs/${runId}/cancel`);
    assert.deepEqual([first.status, first.data.state, first.data.wake_at], [200, 'cancelled', null]);
    assert.deepEqual((await account.post(`/v2/workflows/runs/${runId}/cancel`)).data, first.data);
    assert.equal((await account.post(`/v2/workflows/runs/${runId}/retry`)).error.code, 'INVALID_STATE');
    assert.equal((await account.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: contactId })).status, 202);
    const ended = await writtenEvents(parts.mongo.db, { subject: 'workflows.run.ended.v1' });
    assert.equal(ended.filter(({ envelope }) => envelope.data.run_id === runId).length, 1);
  });
});

test('a change of the status of a workflow lets runs that wait for capacity be admitted at once', async (t) => {
  const { app, parts } = await quietService(t);
  const { accountId } = testClient(app);
  const runs = createRunsStore(parts.mongo.db, parts.cursors, assert.ifError);
  const looked: object[] = [];
  runs.onCapacity((of) => looked.push(of));
  const workflowId = newId('workflow');
  runs.wakeRuns(accountId, workflowId, new Date());
  assert.deepEqual(looked, [{ accountId, workflowId }]);
});
