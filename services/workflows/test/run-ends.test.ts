import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactDeleted, ContactEffectCompleted, ContactErased } from '@mp/contracts/events/contacts';
import { WorkflowsContactErased } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { liveService } from './live-service.ts';
import { smallest } from './setting.ts';

test('what ends and holds a run', async (t) => {
  const { account, clock, contact, create, ended, events, parts, pass, play, read, runsOf, stands, trigger } = await liveService(t);

  await t.test('ends when its contact is deleted, which starts no further runs', async () => {
    const segmentId = newId('segment');
    const workflow = await create({
      trigger: { type: 'segment_entered', segment_id: segmentId },
      steps: [{ id: 'wait', type: 'delay', for: 'P30D' }],
    });
    const contactId = await contact();
    const runId = await trigger(workflow.id, contactId);
    await play.publish(ContactDeleted, account.accountId, { contact_id: contactId, revision: 9 });
    const run = await ended(runId);
    assert.deepEqual([run.state, run.reason], ['exited', 'contact_deleted']);
    await play.enterSegment(account.accountId, segmentId, contactId);
    const other = newId('contact');
    await play.enterSegment(account.accountId, segmentId, other);
    await eventually(async () => (await runsOf(workflow.id)).length === 2);
    assert.equal((await account.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: contactId })).status, 400);
  });

  await t.test('is deleted with its log when its contact is erased, and each request is confirmed', async () => {
    const workflow = await create(smallest);
    const contactId = await contact('erased@example.com');
    const runId = await trigger(workflow.id, contactId);
    const erasure = { erasure_id: newId('event'), contact_id: contactId, merged_ids: [newId('contact')], revision: 5 };
    const receipts = [];
    for (const removed of [1, 0]) {
      const erased = await play.publish(ContactErased, account.accountId, erasure);
      const receipt = await events.next(WorkflowsContactErased, ({ causation_id }) => causation_id === erased.id);
      receipts.push([receipt.data.erasure_id === erasure.erasure_id, receipt.data.removed.runs === removed]);
    }
    assert.deepEqual(receipts, [
      [true, true],
      [true, true],
    ]);
    assert.equal((await account.get(`/v2/workflows/runs/${runId}`)).status, 404);
    for (const name of ['runs', 'run_steps', 'contacts']) {
      const traces = await parts.mongo.db
        .collection(name)
        .countDocuments({ $or: [{ run_id: runId }, { contact_id: contactId }, { email_key: 'erased@example.com' }] });
      assert.equal(traces, 0, name);
    }
    assert.equal((await account.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: contactId })).status, 400);
  });

  await t.test('is held between two steps by a pause, and continues when its workflow is activated', async () => {
    play.outcome = () => 'silence';
    const workflow = await create({
      steps: [
        { id: 'one', type: 'add_tag', tag: 'one', next: 'wait' },
        { id: 'wait', type: 'delay', for: 'PT1H', next: 'two' },
        { id: 'two', type: 'add_tag', tag: 'two' },
      ],
    });
    const [asleep, asking] = [await trigger(workflow.id, await contact()), await trigger(workflow.id, await contact())];
    const done = (runId: string) =>
      play.publish(ContactEffectCompleted, account.accountId, {
        effect_key: `${runId}:1`,
        run_id: runId,
        status: 'done',
        reason: null,
        revision: 2,
      });
    await done(asleep);
    await stands(asleep, 'wait');
    assert.equal((await account.post(`/v2/workflows/${workflow.id}/pause`)).data.status, 'paused');
    await done(asking);
    await eventually(async () => (await read(asking)).state === 'active');
    pass(3_600_000);
    play.outcome = () => ({ status: 'done' });
    await eventually(async () => {
      const held = await parts.mongo.db.collection<{ _id: string; due_at: Date }>('runs').findOne({ _id: asleep });
      return held !== null && held.due_at > clock();
    });
    assert.equal((await read(asleep)).step_id, 'wait');
    assert.equal((await account.post(`/v2/workflows/${workflow.id}/activate`)).data.status, 'active');
    assert.equal((await ended(asleep)).state, 'completed');
    await stands(asking, 'wait');
  });

  await t.test('ends when its workflow is archived or deleted', async () => {
    const steps = [{ id: 'wait', type: 'delay', for: 'P30D' }];
    const [archived, deleted] = [await create({ steps }), await create({ steps })];
    const runIds = [await trigger(archived.id, await contact()), await trigger(deleted.id, await contact())];
    assert.equal((await account.post(`/v2/workflows/${archived.id}/archive`)).status, 200);
    assert.equal((await account.delete(`/v2/workflows/${deleted.id}`)).status, 200);
    const reasons = await Promise.all(runIds.map(async (runId) => (await ended(runId)).reason));
    assert.deepEqual(reasons, ['workflow_archived', 'workflow_deleted']);
  });
});
