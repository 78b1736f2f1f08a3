import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReferencesChanged } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { liveService } from './live-service.ts';

test('steps that add to a static segment or remove', async (t) => {
  const { account, contact, create, ended, events, pass, play, read, trigger } = await liveService(t);
  const segment_id = newId('segment');
  const other = newId('segment');
  const joining = (more: object = {}) =>
    create({
      steps: [
        { id: 'join', type: 'add_to_segment', segment_id, next: 'leave' },
        { id: 'leave', type: 'remove_from_segment', segment_id: other, next: 'tag' },
        { id: 'tag', type: 'add_tag', tag: 'done' },
      ],
      ...more,
    });
  const changesOf = (id: string) => [...play.changedMembers.values()].filter(({ contact_id }) => contact_id === id);

  await t.test('request each change once, under a key and in the name of the workflow', async () => {
    const workflow = await joining();
    const id = await contact();
    const run = await ended(await trigger(workflow.id, id));
    assert.equal(run.state, 'completed');
    const changes = changesOf(id);
    assert.deepEqual(
      changes.map(({ segment_id: to, to: where, workflow_id }) => [to, where, workflow_id]),
      [
        [segment_id, 'inside', workflow.id],
        [other, 'outside', workflow.id],
      ],
    );
    assert.equal(new Set(changes.map(({ effect_key }) => effect_key)).size, 2);
    assert.deepEqual(
      run.log
        .filter(({ step_id }: { step_id: string }) => step_id === 'join')
        .map(({ event, text }: Record<string, string>) => [event, text]),
      [
        ['requested', `join: Adding the contact to ${segment_id}.`],
        ['done', 'join: Done.'],
      ],
    );
  });

  await t.test('are skipped with the reason of a refusal, or fail the run, as on_error says', async () => {
    play.refusal = ({ to }) => (to === 'inside' ? 'The segment is dynamic.' : null);
    t.after(() => {
      play.refusal = () => null;
    });
    const continued = await ended(await trigger((await joining()).id, await contact()));
    assert.equal(continued.state, 'completed');
    const failed = await ended(await trigger((await joining({ on_error: 'exit' })).id, await contact()));
    assert.deepEqual([failed.state, failed.reason, failed.step_id], ['failed', 'The segment is dynamic.', 'join']);
  });

  await t.test('retry while segments is unavailable, and fail the run after a day', async () => {
    const workflow = await joining();
    play.refusal = () => undefined;
    const [patient, unlucky] = [await contact(), await contact()];
    const [first, second] = [await trigger(workflow.id, patient), await trigger(workflow.id, unlucky)];
    const retries = (runId: string) =>
      eventually(async () => (await read(runId)).log.some(({ text }: { text: string }) => text.includes('cannot be changed yet')));
    await retries(first);
    await retries(second);
    assert.deepEqual(changesOf(patient), []);
    play.refusal = ({ contact_id }) => (contact_id === patient ? null : undefined);
    pass(2_000);
    assert.equal((await ended(first)).state, 'completed');
    pass(25 * 3_600_000);
    const run = await ended(second);
    assert.deepEqual([run.state, run.reason], ['failed', 'The segment could not be changed within a day.']);
  });

  await t.test('appear in the references and warnings of the workflow', async () => {
    play.missingSegments.add(other);
    play.dynamicSegments.add(segment_id);
    const workflow = await joining();
    assert.deepEqual(
      workflow.warnings.map(({ path, code }: Record<string, string>) => [path, code]),
      [
        ['/steps/1/segment_id', 'unknown_segment'],
        ['/steps/0/segment_id', 'dynamic_segment'],
      ],
    );
    const changed = await events.next(ReferencesChanged, ({ data }) => data.workflow_id === workflow.id);
    assert.deepEqual(changed.data.segment_ids, [segment_id, other]);
  });

  await t.test('change the segments that later branches and goals of a simulation see', async () => {
    const simulated = async (...then: object[]) => {
      const steps = [
        { id: 'join', type: 'add_to_segment', segment_id, next: 'look' },
        { id: 'look', type: 'branch', branches: [{ when: { all: [inside, { field: 'email', op: 'exists' }] }, to: 'leave' }], else: null },
        { id: 'leave', type: 'remove_from_segment', segment_id, next: 'then' },
        ...then,
      ];
      const { id } = await create({ steps });
      return (await account.post(`/v2/workflows/${id}/simulate`, { contact_id: contactId })).data;
    };
    const inside = { segment: segment_id, op: 'in' };
    const contactId = await contact();
    play.contacts.set(contactId, { id: contactId, email: 'ada@example.com' });
    const left = await simulated({ id: 'then', type: 'branch', branches: [{ when: inside, to: 'end' }] }, { id: 'end', type: 'exit' });
    assert.equal(left.state, 'completed', JSON.stringify(left));
    assert.deepEqual(
      left.members.map(({ step_id, to }: Record<string, string>) => [step_id, to]),
      [
        ['join', 'inside'],
        ['leave', 'outside'],
      ],
    );
    const goal = await simulated({ id: 'then', type: 'goal', any: [{ type: 'segment_left', segment_id }], within: 'P1D' });
    assert.deepEqual([goal.state, goal.reason, goal.step_id], ['converted', 'then', 'then']);
    assert.deepEqual(changesOf(contactId), []);
  });
});
