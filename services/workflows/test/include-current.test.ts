import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { liveService } from './live-service.ts';
import { mail } from './setting.ts';

const steps = [{ id: 'end', type: 'exit' }];
const every = { entry: { policy: 'every_time' }, steps };

test('a workflow that is activated with the current members of its segment', async (t) => {
  const { account, clock, create, parts, pass, play } = await liveService(t);
  const runs = parts.mongo.db.collection('runs');
  const draft = async (members: readonly string[], body: object = every) => {
    const segment_id = newId('segment');
    play.members.set(segment_id, [...members]);
    return create({ trigger: { type: 'segment_entered', segment_id }, status: 'draft', ...body });
  };
  const contacts = (count: number) => Array.from({ length: count }, () => newId('contact'));
  const activate = async (id: string, body: object = { include_current: true }) => account.post(`/v2/workflows/${id}/activate`, body);
  const enrollment = async (id: string) => (await account.get(`/v2/workflows/${id}`)).data.enrollment;
  const completed = (id: string) =>
    eventually(async () => {
      const found = await enrollment(id);
      return found?.status === 'completed' && found;
    });
  const startsOf = async (id: string) => {
    const found = await runs.find({ workflow_id: id }).toArray();
    return found.map(({ contact_id }) => String(contact_id)).sort();
  };

  await t.test('starts one run for each member, and shows the progress', async () => {
    const members = contacts(1_100);
    const workflow = await draft(members);
    const { status, data } = await activate(workflow.id);
    assert.deepEqual([status, data.status, data.enrollment.status], [200, 'active', 'running']);
    const { processed, started, completed_at } = await completed(workflow.id);
    assert.deepEqual([processed, started, completed_at !== null], [1_100, 1_100, true]);
    assert.deepEqual(await startsOf(workflow.id), members.sort());
  });

  await t.test('starts nobody without include_current, and rejects it for other triggers', async () => {
    const workflow = await draft(contacts(1));
    assert.equal((await activate(workflow.id, {})).data.enrollment, null);
    const manual = await create({ trigger: { type: 'manual' }, steps, status: 'draft' });
    const refused = await activate(manual.id);
    assert.deepEqual([refused.status, refused.error.details[0].path], [400, '/include_current']);
    assert.equal((await account.get(`/v2/workflows/${manual.id}`)).data.status, 'draft');
  });

  await t.test('can be activated again with them, and starts none twice, even after a pause', async () => {
    const members = contacts(3);
    const workflow = await draft(members);
    await activate(workflow.id, {});
    await Promise.all([activate(workflow.id), activate(workflow.id)].map((one) => eventually(async () => (await one).status === 200)));
    await completed(workflow.id);
    await activate(workflow.id);
    await account.post(`/v2/workflows/${workflow.id}/pause`);
    play.members.set(workflow.trigger.segment_id, [...members, newId('contact')]);
    await activate(workflow.id);
    const { processed, started } = await completed(workflow.id);
    assert.deepEqual([processed, started], [4, 1]);
    assert.equal((await startsOf(workflow.id)).length, 4);
  });

  await t.test('starts one run of a contact that enters meanwhile, whether its event or the activation comes first', async () => {
    const [before, after] = [newId('contact'), newId('contact')];
    const workflow = await draft([]);
    const { segment_id } = workflow.trigger;
    await activate(workflow.id, {});
    for (const id of [before, after]) play.enteredAt.set(`${segment_id} ${id}`, clock().toISOString());
    await play.enterSegment(account.accountId, segment_id, before);
    await eventually(async () => (await startsOf(workflow.id)).length === 1);
    play.members.set(segment_id, [before, after]);
    await activate(workflow.id);
    assert.equal((await completed(workflow.id)).started, 1);
    await play.enterSegment(account.accountId, segment_id, after);
    const last = newId('contact');
    await play.enterSegment(account.accountId, segment_id, last);
    await eventually(async () => (await startsOf(workflow.id)).includes(last));
    assert.deepEqual(await startsOf(workflow.id), [before, after, last].sort());
  });

  await t.test('is cancelled by a pause', async () => {
    const workflow = await draft(contacts(2));
    const usual = play.caughtUp;
    play.caughtUp = () => ({ state: 'behind', as_of: null });
    await activate(workflow.id);
    await account.post(`/v2/workflows/${workflow.id}/pause`);
    play.caughtUp = usual;
    assert.equal((await enrollment(workflow.id)).status, 'cancelled');
    await activate(workflow.id, {});
    pass(60_000);
    assert.equal((await enrollment(workflow.id)).status, 'cancelled');
    await activate(workflow.id);
    assert.equal((await completed(workflow.id)).started, 2);
  });

  await t.test('starts only members that match the rule of the trigger', async () => {
    const [yes, no] = [newId('contact'), newId('contact')];
    const segment_id = newId('segment');
    play.members.set(segment_id, [yes, no]);
    play.rule = ({ contact_id }) => ({ known: true, matches: contact_id === yes });
    const when = { field: 'tags', op: 'exists' };
    for (const id of [yes, no]) play.contacts.set(id, { id, email: `${id}@example.com` });
    const workflow = await create({ trigger: { type: 'segment_entered', segment_id, when }, status: 'draft', ...every });
    await activate(workflow.id);
    assert.equal((await completed(workflow.id)).started, null);
    const candidates = parts.mongo.db.collection('candidates');
    await eventually(async () => (await candidates.countDocuments({ workflow_id: workflow.id })) === 0);
    assert.deepEqual(await startsOf(workflow.id), [yes]);
  });

  await t.test('tells beforehand how many contacts start and the most emails of the first hour', async () => {
    const preview = async (id: string) => (await account.get(`/v2/workflows/${id}/activation`)).data;
    const workflow = await draft(contacts(10), {
      steps: [
        { id: 'first', ...mail, next: 'wait' },
        { id: 'wait', type: 'delay', for: 'PT30M', next: 'second' },
        { id: 'second', ...mail, next: 'later' },
        { id: 'later', type: 'delay', for: 'P1D', next: 'third' },
        { id: 'third', ...mail },
      ],
    });
    assert.deepEqual(await preview(workflow.id), { contacts: 10, exact: true, emails_per_contact: 2, emails_first_hour: 20, warnings: [] });
    const manual = await create({ trigger: { type: 'manual' }, steps });
    assert.deepEqual(await preview(manual.id), {
      contacts: null,
      exact: true,
      emails_per_contact: 0,
      emails_first_hour: null,
      warnings: [],
    });
    assert.equal((await startsOf(workflow.id)).length, 0);
  });
});
