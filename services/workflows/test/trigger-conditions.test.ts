import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageBounced, MessageClicked, MessageOpened } from '@mp/contracts/events/campaigns';
import { ContactErased } from '@mp/contracts/events/contacts';
import { SendEffectRequested, WorkflowsContactErased } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { liveService } from './live-service.ts';
import { mail } from './setting.ts';

const end = [{ id: 'end', type: 'exit' }];
const vip = { field: 'tags', op: 'contains', value: 'vip' };
const minuteMs = 60_000;

test('conditions of a trigger', async (t) => {
  const { account, clock, contact, create, events, parts, pass, play, runsOf, trigger } = await liveService(t);
  const { accountId } = account;
  const candidates = parts.mongo.db.collection<{ _id: string; account_id: string; contact_id: string; asked: number }>('candidates');
  const candidateOf = (contactId: string) => candidates.findOne({ account_id: accountId, contact_id: contactId });
  const contactsIn = async (workflowId: string) =>
    (await runsOf(workflowId)).map(({ contact_id }: { contact_id: string }) => contact_id).sort();
  const inWorkflow = (workflowId: string, ids: string[]) =>
    eventually(async () => JSON.stringify(await contactsIn(workflowId)) === JSON.stringify(ids.sort()));
  const message = (contact_id: string, more: object = {}) => ({
    ...{ recipient_id: 'recipient', contact_id, campaign_id: null, workflow_id: null, at: clock().toISOString() },
    ...more,
  });

  await t.test('only contacts that match `when` start a run when they enter a segment', async () => {
    const segmentId = newId('segment');
    const workflow = await create({ trigger: { type: 'segment_entered', segment_id: segmentId, when: vip }, steps: end });
    const [fits, other] = [await contact(), await contact()];
    const requests: number[] = [];
    for (const id of [fits, other]) play.contacts.set(id, { id, email: `${id}@example.com`, revision: 5 });
    play.rule = ({ contact_id, at_least_revision, rule }) => {
      assert.deepEqual(rule, vip);
      requests.push(at_least_revision);
      return { known: true, matches: contact_id === fits };
    };
    await play.enterSegment(accountId, segmentId, other);
    const event = await play.enterSegment(accountId, segmentId, fits);
    await inWorkflow(workflow.id, [fits]);
    await eventually(async () => (await candidateOf(other)) === null);
    assert.deepEqual(requests, [5, 5], 'on no older data than contacts has');
    assert.deepEqual(await contactsIn(workflow.id), [fits]);
    const [run] = await runsOf(workflow.id);
    assert.deepEqual(run.trigger, { type: 'segment_entered', event_id: event.id });
  });

  await t.test('a run starts once segments has applied the click that triggers it, and only then', async () => {
    const workflow = await create({ trigger: { type: 'message_clicked', when: vip }, steps: end });
    const id = await contact();
    play.contacts.set(id, { id, email: `${id}@example.com` });
    let isApplied = false;
    const after: string[][] = [];
    play.rule = ({ after_events }) => {
      after.push(after_events);
      return { known: isApplied, matches: isApplied };
    };
    const event = await play.publish(MessageClicked, accountId, message(id, { url: 'https://example.com', machine: false }) as never);
    await eventually(async () => ((await candidateOf(id))?.asked ?? 0) > 0 && after.length > 0);
    assert.deepEqual(await contactsIn(workflow.id), []);
    isApplied = true;
    pass(minuteMs);
    await inWorkflow(workflow.id, [id]);
    assert.deepEqual(after.at(-1), [event.id]);
    assert.equal(await candidateOf(id), null);
    assert.equal((await runsOf(workflow.id))[0].data.url, 'https://example.com');
  });

  await t.test(
    'a contact that is still undecided when the trigger changes, the contact is erased, or a day has passed starts no run',
    async () => {
      const segmentId = newId('segment');
      const on = { type: 'segment_entered', segment_id: segmentId };
      const workflow = await create({ trigger: { ...on, when: vip }, steps: end });
      play.rule = () => ({ known: false, matches: false });
      const undecided = async () => {
        const id = await contact();
        play.contacts.set(id, { id, email: `${id}@example.com` });
        await play.enterSegment(accountId, segmentId, id);
        await eventually(async () => ((await candidateOf(id))?.asked ?? 0) > 0);
        return id;
      };
      const gone = async (id: string) => (await candidateOf(id)) === null;
      const late = await undecided();
      pass(25 * 60 * minuteMs);
      await eventually(() => gone(late));
      const erased = await undecided();
      const erasure = { contact_id: erased, merged_ids: [], revision: 9, suppression_hashes: [], erasure_id: newId('erasure') };
      await play.publish(ContactErased, accountId, erasure as never);
      await events.next(WorkflowsContactErased, ({ data }) => data.contact_id === erased);
      assert.equal(await candidateOf(erased), null);
      const early = await undecided();
      await account.put(`/v2/workflows/${workflow.id}`, { trigger: { ...on, when: { not: vip } } });
      play.rule = () => ({ known: true, matches: true });
      pass(2 * minuteMs);
      await eventually(() => gone(early));
      const id = await contact();
      play.contacts.set(id, { id, email: `${id}@example.com` });
      await play.enterSegment(accountId, segmentId, id);
      await inWorkflow(workflow.id, [id]);
    },
  );

  await t.test('only emails of a step, and only clicks of a link, start a run', async () => {
    const sender = await create({
      steps: [
        { id: 'first', ...mail, next: 'second' },
        { id: 'second', ...mail },
      ],
    });
    const of = { workflow_id: sender.id };
    const ofStep = (type: string) => create({ trigger: { type, ...of, step_id: 'second' }, entry: { policy: 'every_time' }, steps: end });
    const [opened, clicked, bounced] = [await ofStep('message_opened'), await ofStep('message_clicked'), await ofStep('message_bounced')];
    const link = await create({
      trigger: { type: 'message_clicked', url: 'https://example.com/sale' },
      entry: { policy: 'every_time' },
      steps: end,
    });
    const id = await contact();
    const runId = await trigger(sender.id, id);
    const keys: string[] = [];
    for (const count of [1, 2]) {
      const { data } = await events.next(SendEffectRequested, ({ data }) => data.run_id === runId && !keys.includes(data.effect_key));
      assert.equal(keys.push(data.effect_key), count);
    }
    for (const [index, effect_key] of keys.entries()) {
      const one = message(id, { ...of, effect_key });
      await play.publish(MessageOpened, accountId, { ...one, machine: false } as never);
      const url = index === 0 ? 'https://example.com/sale?utm_source=mail' : 'https://example.com/other';
      await play.publish(MessageClicked, accountId, { ...one, url, machine: false } as never);
      await play.publish(MessageBounced, accountId, { ...one, hard: true, reason: 'No such user' } as never);
    }
    for (const { id: workflowId } of [bounced, opened, clicked, link]) await eventually(async () => (await runsOf(workflowId)).length > 0);
    const counts = await Promise.all([opened, clicked, bounced, link].map(async (one) => (await runsOf(one.id)).length));
    assert.deepEqual(counts, [1, 1, 1, 1]);
    assert.equal((await runsOf(link.id))[0].data.url, 'https://example.com/sale?utm_source=mail');
    assert.equal((await runsOf(clicked.id))[0].data.url, 'https://example.com/other');
  });

  await t.test('a simulation says whether the contact would start a run', async () => {
    const on = { type: 'segment_entered', segment_id: newId('segment') };
    const workflow = await create({ trigger: { ...on, when: vip }, steps: end });
    const [fits, other] = [await contact(), await contact()];
    play.contacts.set(fits, { id: fits, email: 'fits@example.com', tags: ['vip'] });
    play.contacts.set(other, { id: other, email: 'other@example.com' });
    const simulate = async (id: string, body: object) => (await account.post(`/v2/workflows/${id}/simulate`, body)).data;
    const { contacts, starts } = await simulate(workflow.id, { contact_ids: [fits, other] });
    assert.deepEqual([starts, ...contacts.map((one: { starts: boolean }) => one.starts)], [true, true, false]);
    assert.equal((await simulate(workflow.id, {})).starts, null);
  });

  await t.test('that cannot be used are rejected with their field', async () => {
    const segment_id = newId('segment');
    for (const [condition, path] of [
      [{ type: 'message_opened', step_id: 'hi' }, '/trigger/step_id'],
      [{ type: 'message_clicked', url: 'sale' }, '/trigger/url'],
      [{ type: 'message_opened', url: 'https://example.com' }, '/trigger'],
      [{ type: 'segment_entered', segment_id, when: { field: 'tags', op: 'near', value: 1 } }, '/trigger/when'],
      [{ type: 'contact_created', when: vip }, '/trigger'],
    ] as const) {
      const response = await account.post('/v2/workflows', { name: 'W', trigger: condition, steps: end });
      assert.equal(response.status, 400, response.text);
      assert.ok(response.error.details[0].path.startsWith(path), response.text);
    }
    const unknown = newId('segment');
    play.missingSegments.add(unknown);
    const { warnings } = await create({ trigger: { type: 'message_opened', when: { segment: unknown } }, steps: end });
    assert.deepEqual(
      warnings.map(({ path, code }: { path: string; code: string }) => [path, code]),
      [['/trigger/when', 'unknown_segment']],
    );
  });
});
