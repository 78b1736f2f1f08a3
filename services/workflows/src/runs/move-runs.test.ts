import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { liveService } from '../../test/live-service.ts';
import { assertRecount } from '../../test/recount.ts';
import { sleeper } from '../../test/setting.ts';

const dayMs = 24 * 60 * 60 * 1_000;

test('POST /v2/workflows/:id/runs/move', async (t) => {
  const { account, app, contact, create, ended, parts, pass, play, read, stands, trigger } = await liveService(t);
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'workflows:write',
    url: async (client) => `/v2/workflows/${(await client.post('/v2/workflows', sleeper)).data.id}/runs/move`,
    body: {},
  });
  const changed = async (id: string, steps: object[], more: object = {}) => {
    const response = await account.put(`/v2/workflows/${id}`, { steps, ...more });
    assert.equal(response.status, 200, response.text);
  };
  const move = async (id: string, body: object = {}) => {
    const response = await account.post(`/v2/workflows/${id}/runs/move`, body);
    assert.equal(response.status, 200, response.text);
    return response.data;
  };

  await t.test('continues a wait where it was, with the steps and exit conditions of the current version', async () => {
    const workflow = await create(sleeper);
    const id = await contact();
    const runId = await trigger(workflow.id, id);
    const before = await read(runId);
    const steps = [
      { id: 'wait', type: 'delay', for: 'P9D', next: 'other' },
      { id: 'other', type: 'add_tag', tag: 'other', next: 'done' },
      { id: 'done', type: 'delay', for: 'P1D' },
    ];
    await changed(workflow.id, steps, { exit_when: [{ type: 'unsubscribed' }] });
    assert.deepEqual(await move(workflow.id, { dry_run: true }), { version: 2, moved: 1, not_moved: [], next: null });
    assert.equal((await read(runId)).workflow_version, 1);
    assert.deepEqual(await move(workflow.id), { version: 2, moved: 1, not_moved: [], next: null });
    const run = await read(runId);
    assert.deepEqual([run.workflow_version, run.step_id, run.wake_at], [2, 'wait', before.wake_at]);
    assert.match(run.log.at(-1).text, /Moved from version 1 to version 2/);
    assert.deepEqual(await move(workflow.id), { version: 2, moved: 0, not_moved: [], next: null });
    pass(dayMs);
    await stands(runId, 'done');
    const stored = await parts.mongo.db.collection<{ _id: string; watches: string[] }>('runs').findOne({ _id: runId });
    assert.deepEqual(stored?.watches, ['contact']);
    await assertRecount(parts, account.accountId, workflow.id);
  });

  await t.test('says which runs cannot move, and why', async () => {
    const workflow = await create({ ...sleeper, entry: { policy: 'every_time' } });
    const [gone, changedType, flying] = [await contact(), await contact(), await contact()];
    const first = await trigger(workflow.id, gone);
    await changed(workflow.id, [{ id: 'hold', type: 'delay', for: 'P1D' }]);
    const second = await trigger(workflow.id, changedType);
    play.outcome = () => 'silence';
    await changed(workflow.id, [{ id: 'tag', type: 'add_tag', tag: 'x' }]);
    const third = await trigger(workflow.id, flying);
    await stands(third, 'tag');
    await eventually(async () => (await read(third)).waiting_for === 'effect');
    await changed(workflow.id, [
      { id: 'tag', type: 'add_tag', tag: 'y', next: 'hold' },
      { id: 'hold', type: 'wait_until', any: [{ type: 'event', name: 'e' }], timeout: 'P1D' },
    ]);
    const { moved, not_moved } = await move(workflow.id);
    assert.equal(moved, 0);
    assert.deepEqual(
      not_moved.map(({ run_id, reason }: { run_id: string; reason: string }) => [run_id, reason]),
      [
        [first, 'step_missing'],
        [second, 'step_changed'],
        [third, 'in_flight'],
      ],
    );
    assert.equal((await read(third)).workflow_version, 3);
    play.outcome = () => ({ status: 'done' });
  });

  await t.test('moves many runs, page by page', async () => {
    const workflow = await create(sleeper);
    const contacts = [];
    for (let index = 0; index < 60; index += 1) contacts.push({ contact_id: await contact() });
    const started = (await account.post(`/v2/workflows/${workflow.id}/trigger`, { contacts })).data.runs;
    await eventually(async () => (await account.get(`/v2/workflows/${workflow.id}/runs?state=waiting&limit=100`)).data.items.length === 60);
    await changed(workflow.id, [{ id: 'wait', type: 'delay', for: 'P2D' }]);
    const page = await move(workflow.id);
    assert.deepEqual([page.moved, typeof page.next], [50, 'string']);
    assert.deepEqual(await move(workflow.id, { after: page.next }), { version: 2, moved: 10, not_moved: [], next: null });
    pass(dayMs);
    for (const { run_id } of started.slice(0, 3)) assert.equal((await ended(run_id)).workflow_version, 2);
  });
});
