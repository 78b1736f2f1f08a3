import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactCreated, ContactUpdated } from '@mp/contracts/events/contacts';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { MembershipEntered, MembershipLeft } from '@mp/contracts/events/segments';
import { RunEnded } from '@mp/contracts/events/workflows';
import { type ContactId, newId, type SegmentId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { liveService } from './live-service.ts';
import { contactOf, mail } from './setting.ts';

const cart = {
  trigger: { type: 'event', name: 'added_to_cart' },
  steps: [
    { id: 'wait', type: 'wait_until', any: [{ type: 'event', name: 'order_placed' }], timeout: 'PT1H', next: 'bought', on_timeout: 'hi' },
    { id: 'bought', type: 'exit', reason: 'bought' },
    { id: 'hi', ...mail },
  ],
};

test('what happens to a contact', async (t) => {
  const { account, clock, contact, create, ended, events, parts, pass, play, read, runsOf, trigger } = await liveService(t);
  const track = (contact_id: string, event: string, time: Date, event_id = newId('activity')) =>
    play.publish(EventTracked, account.accountId, {
      ...{ event_id, event, visitor_id: null, contact_id, time: time.toISOString(), properties: {}, value: null, bot: false },
    });

  await t.test('continues the run that waits for it, in whatever order and however simultaneously the events arrive', async () => {
    const workflow = await create(cart);
    const ids = Array.from({ length: 15 }, () => newId('contact'));
    await Promise.all(
      ids.map(async (id, index) => {
        const time = clock();
        const publications = [() => track(id, 'added_to_cart', time), () => track(id, 'order_placed', new Date(time.getTime() + 5))];
        if (index % 3 === 0) publications.reverse();
        if (index % 3 === 2) await Promise.all(publications.map((publish) => publish()));
        else for (const publish of publications) await publish();
      }),
    );
    await eventually(async () => {
      const runs = await runsOf(workflow.id);
      return runs.length === 15 && runs.every(({ reason }: { reason: string }) => reason === 'bought');
    });
  });

  await t.test('does not count when it happened before the event that started the run', async () => {
    const workflow = await create({ ...cart, trigger: { type: 'event', name: 'opened_cart' } });
    const id = newId('contact');
    const time = clock();
    await track(id, 'order_placed', new Date(time.getTime() - 1));
    await track(id, 'opened_cart', time);
    const [run] = await eventually(async () => {
      const runs = await runsOf(workflow.id);
      return runs.length > 0 && runs;
    });
    assert.equal((await read(run.id)).waiting_for, 'event');
    pass(3_600_000);
    assert.equal((await ended(run.id)).state, 'completed');
  });

  await t.test('reaches a goal at any step: the run is converted, is counted, and can be entered again', async () => {
    const workflow = await create({
      steps: [
        { id: 'wait', type: 'delay', for: 'P3D', next: 'goal' },
        { id: 'goal', type: 'goal', any: [{ type: 'event', name: 'subscribed' }], within: 'P7D' },
      ],
    });
    const id = await contact();
    const runId = await trigger(workflow.id, id);
    await track(id, 'subscribed', clock());
    const run = await ended(runId);
    assert.deepEqual([run.state, run.reason, run.step_id], ['converted', 'goal', 'wait']);
    assert.equal((await account.get(`/v2/workflows/${workflow.id}/analytics`)).data.counts.converted, 1);
    const { data } = await events.next(RunEnded, ({ data }) => data.run_id === runId);
    assert.deepEqual([data.state, data.reason], ['completed', 'converted']);
    await trigger(workflow.id, id);
  });

  await t.test('ends the run that an earlier change starts, although the later one is applied first', async () => {
    const [segment, other] = [newId('segment'), newId('segment')];
    const steps = [{ id: 'wait', type: 'delay', for: 'P3D' }];
    const at = (ms: number) => ({ time: new Date(clock().getTime() + ms).toISOString() });
    const membership = (segment_id: SegmentId, contact_id: ContactId) => ({
      ...{ segment_id, segment_name: 'Berlin', contact_id, sequence: 1, at: clock().toISOString(), cause: 'contact' as const },
    });
    const entering = { trigger: { type: 'segment_entered', segment_id: segment }, steps };
    const created = { trigger: { type: 'contact_created' }, steps };
    const leave = (id: ContactId) => play.publish(MembershipLeft, account.accountId, membership(segment, id), at(1_000));
    const enter = (id: ContactId, into = segment, time = at(0)) =>
      play.publish(MembershipEntered, account.accountId, membership(into, id), time);
    const profile = (id: ContactId, revision: number, members: Partial<Parameters<typeof contactOf>[0]> = {}) =>
      contactOf({ id, email: `${id}@example.com`, revision, ...members });
    const createContact = (id: ContactId) => play.publish(ContactCreated, account.accountId, { contact: profile(id, 1) }, at(0));
    const update = (id: ContactId, members: Parameters<typeof profile>[2], changed: string) =>
      play.publish(ContactUpdated, account.accountId, { contact: profile(id, 2, members), changed: [changed] }, at(1_000));
    const cases = [
      { ...entering, exit_when: [{ type: 'segment_left', segment_id: segment }], first: leave, second: enter },
      {
        ...{ ...created, exit_when: [{ type: 'segment_entered', segment_id: other }] },
        ...{ first: (id: ContactId) => enter(id, other, at(1_000)), second: createContact },
      },
      {
        ...{ ...created, exit_when: [{ type: 'unsubscribed' }] },
        ...{ first: (id: ContactId) => update(id, { status: 'unsubscribed' }, 'status'), second: createContact },
      },
      {
        ...{ ...created, exit_when: [{ type: 'field', when: { field: 'tags', op: 'contains', value: 'vip' } }] },
        ...{ first: (id: ContactId) => update(id, { tags: ['vip'] }, 'tags'), second: createContact },
      },
    ];
    for (const { first, second, ...definition } of cases) {
      const workflow = await create(definition);
      const ids = [newId('contact'), newId('contact')];
      await Promise.all(
        ids.map(async (id) => {
          await first(id);
          await second(id);
        }),
      );
      await eventually(async () => {
        const runs = await runsOf(workflow.id);
        return runs.length === ids.length && runs.every(({ reason }: { reason: string }) => reason === 'exit_condition');
      });
      await account.post(`/v2/workflows/${workflow.id}/pause`);
    }
  });

  await t.test('that no workflow watches for is not recorded', async () => {
    const recorded = parts.mongo.db.collection('occurrences');
    const before = await recorded.countDocuments();
    const witness = await create({ trigger: { type: 'event', name: 'ignored' }, steps: [{ id: 'end', type: 'exit' }] });
    await track(newId('contact'), 'ignored', clock());
    await eventually(async () => (await runsOf(witness.id)).length === 1);
    assert.equal(await recorded.countDocuments(), before);
  });

  await t.test('continues a run only after its workflow is active again', async () => {
    const workflow = await create({ steps: [cart.steps[0], { ...cart.steps[1] }, { ...cart.steps[2] }] });
    const id = await contact();
    const runId = await trigger(workflow.id, id);
    await account.post(`/v2/workflows/${workflow.id}/pause`);
    await track(id, 'order_placed', clock());
    await eventually(async () => (await read(runId)).step_id === 'bought');
    assert.equal((await read(runId)).state, 'active');
    await account.post(`/v2/workflows/${workflow.id}/activate`);
    assert.equal((await ended(runId)).reason, 'bought');
  });
});
