import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { TrackEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { liveService } from './live-service.ts';

test('a start_workflow step', async (t) => {
  const { account, contact, create, ended, events, pass, play, runsOf, trigger } = await liveService(t);
  const target = (more: object = {}) =>
    create({ steps: [{ id: 'wait', type: 'delay', for: 'P1D' }], entry: { policy: 'every_time' }, ...more });
  const starting = (workflow_id: string) =>
    create({ steps: [{ id: 'go', type: 'start_workflow', workflow_id, data: { order: '{{ data.order }}', from: '{{ run.id }}' } }] });

  await t.test('starts one run of the other workflow with its data', async () => {
    const other = await target();
    const source = await starting(other.id);
    const id = await contact();
    const { data } = await account.post(`/v2/workflows/${source.id}/trigger`, { contact_id: id, data: { order: 7 } });
    const run = await ended(data.runs[0].run_id);
    assert.equal(run.state, 'completed');
    const [begun, ...more] = await runsOf(other.id);
    assert.deepEqual([begun.contact_id, begun.data, begun.trigger.type, more], [id, { order: 7, from: run.id }, 'workflow', []]);
  });

  await t.test('is refused if the workflow is not active or does not admit the contact', async () => {
    const draft = await target({ status: 'draft' });
    const once = await target({ entry: { policy: 'once' } });
    const id = await contact();
    await trigger(once.id, id);
    for (const [other, why] of [
      [draft, /The workflow is draft/],
      [once, /entry policy/],
    ] as const) {
      const run = await ended(await trigger((await starting(other.id)).id, id));
      assert.match(run.log.at(-2).text, why);
    }
  });

  await t.test('that leads back to its own workflow stops', async () => {
    const one = await create({ steps: [{ id: 'end', type: 'exit' }], entry: { policy: 'every_time' } });
    const other = await create({ steps: [{ id: 'go', type: 'start_workflow', workflow_id: one.id }], entry: { policy: 'every_time' } });
    const back = { steps: [{ id: 'go', type: 'start_workflow', workflow_id: other.id }] };
    assert.equal((await account.put(`/v2/workflows/${one.id}`, back)).status, 200);
    await trigger(one.id, await contact());
    pass(0);
    const all = await eventually(async () => {
      const runs = [...(await runsOf(one.id)), ...(await runsOf(other.id))];
      return runs.length >= 3 && runs.every(({ ended_at }: { ended_at: string | null }) => ended_at !== null) && runs;
    });
    assert.equal(all.length, 3, 'one by hand, and one of each workflow in the chain');
  });

  await t.test('a workflow that its own track_event step triggers stops, too', async () => {
    const workflow = await create({
      trigger: { type: 'event', name: 'pinged' },
      entry: { policy: 'every_time' },
      steps: [{ id: 'ping', type: 'track_event', event: 'pinged', properties: { from: '{{ run.id }}' } }],
    });
    const id = await contact();
    const runId = await trigger(workflow.id, id);
    const { data, correlation_id } = await events.next(TrackEffectRequested, (event) => event.data.run_id === runId);
    assert.deepEqual([data.contact_id, data.event, data.properties], [id, 'pinged', { from: runId }]);
    const tracked = async (event_id: string) =>
      play.publish(EventTracked, account.accountId, {
        ...{ event_id, event: 'pinged', visitor_id: null, contact_id: id, time: data.time, properties: {}, value: null, bot: false },
      });
    assert.notEqual(correlation_id, '');
    await tracked(data.event_id);
    const second = await events.next(TrackEffectRequested, (event) => event.data.run_id !== runId && event.data.event === 'pinged');
    await tracked(second.data.event_id);
    await tracked(newId('activity'));
    await eventually(async () => (await runsOf(workflow.id)).length === 3);
    assert.equal((await runsOf(workflow.id)).length, 3, 'by hand, by its event, and by the event of a visitor');
  });
});
