import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactCreated, ContactDeleted, ContactErased } from '@mp/contracts/events/contacts';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { WorkflowsContactErased } from '@mp/contracts/events/workflows';
import { type ContactId, newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { buildApp } from '../src/app.ts';
import { config, contactOf, fakeServices, knownContact } from './setting.ts';

const waiting = [
  { id: 'wait', type: 'delay', for: 'P1D', next: 'tag' },
  { id: 'tag', type: 'add_tag', tag: 'awake' },
];

test('a contact that is merged into another', async (t) => {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const play = await fakeServices(t, clock);
  const parts = await testParts(t, 'workflows');
  const { app, engine } = await testService(t, parts, (own) => buildApp(own, { ...config, clock }), { live: true });
  const account = testClient(app);
  const create = async (body: object = {}) => {
    const response = await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, steps: waiting, ...body });
    assert.equal(response.status, 201, response.text);
    return String(response.data.id);
  };
  const contact = () => knownContact(parts, account.accountId);
  const trigger = (workflowId: string, contactId: string) => account.post(`/v2/workflows/${workflowId}/trigger`, { contact_id: contactId });
  const begin = async (workflowId: string, contactId: string) => {
    const response = await trigger(workflowId, contactId);
    assert.equal(response.status, 202, response.text);
    return String(response.data.runs[0].run_id);
  };
  const read = async (runId: string) => (await account.get(`/v2/workflows/runs/${runId}`)).data;
  const merge = (from: string, into: string, revision = 2) =>
    play.publish(ContactDeleted, account.accountId, { contact_id: from, revision, merged_into: into });
  const isOf = (runId: string, contactId: string) => eventually(async () => (await read(runId)).contact_id === contactId);

  await t.test('continues its runs for the survivor, and logs it', async () => {
    const [a, b] = [await contact(), await contact()];
    const runId = await begin(await create(), a);
    await merge(a, b);
    await isOf(runId, b);
    const moved = await read(runId);
    assert.deepEqual([moved.state, moved.step_id, moved.log.at(-1).event], ['waiting', 'wait', 'moved']);
    assert.match(moved.log.at(-1).text, new RegExp(`${a} was merged into ${b}`));
    ahead += 25 * 3_600_000;
    engine.wake();
    await eventually(async () => (await read(runId)).state === 'completed');
    const effect = [...play.performed.values()].find(({ run_id }) => run_id === runId);
    assert.equal(effect?.contact_id, b);
  });

  await t.test('follows a chain of merges, even when the later merge arrives first', async () => {
    const [a, b, c] = [await contact(), await contact(), await contact()];
    const runId = await begin(await create(), a);
    await merge(b, c);
    await eventually(
      async () => (await account.post(`/v2/workflows/${await create()}/trigger`, { contact_id: b })).data?.runs[0].contact_id === c,
    );
    await merge(a, b);
    await isOf(runId, c);
  });

  await t.test('ends its run if the survivor is already in the workflow', async () => {
    const [a, b] = [await contact(), await contact()];
    const [once, every] = [await create(), await create({ entry: { policy: 'every_time' } })];
    const [first, second] = [await begin(once, a), await begin(once, b)];
    const [third] = [await begin(every, a), await begin(every, b)];
    await merge(a, b);
    await isOf(third ?? '', b);
    const run = await read(first);
    assert.deepEqual([run.state, run.reason, (await read(second)).state], ['exited', 'contact_merged', 'waiting']);
  });

  await t.test('counts as entered: `once` holds for both contacts', async () => {
    const [a, b] = [await contact(), await contact()];
    const workflowId = await create({ entry: { policy: 'once' }, steps: [{ id: 'end', type: 'exit' }] });
    const runId = await begin(workflowId, a);
    await merge(a, b);
    await isOf(runId, b);
    assert.equal((await trigger(workflowId, b)).status, 409);
  });

  await t.test('gets its runs back when the merge is undone, including those of a contact merged into it', async () => {
    const [a, b, c] = [await contact(), await contact(), await contact()];
    const workflowId = await create();
    const [ofA, ofB] = [await begin(workflowId, a), await begin(await create(), b)];
    await merge(a, b);
    await isOf(ofA, b);
    await merge(b, c);
    await Promise.all([isOf(ofA, c), isOf(ofB, c)]);
    const back = (id: ContactId, revision: number) =>
      play.publish(ContactCreated, account.accountId, { contact: contactOf({ id, email: `${id}@example.com`, revision }) });
    await back(b, 3);
    await Promise.all([isOf(ofA, b), isOf(ofB, b)]);
    await back(a, 3);
    await isOf(ofA, a);
    assert.equal((await read(ofB)).contact_id, b);
    // A late event changes nothing.
    await merge(a, b);
    const witness = await contact();
    await merge(witness, c);
    await eventually(async () => (await trigger(await create(), witness)).data?.runs[0].contact_id === c);
    assert.equal((await read(ofA)).contact_id, a);
  });

  await t.test('is triggered by either id, whether the merge has arrived here or not', async () => {
    const [heard, unheard, b] = [await contact(), newId('contact'), await contact()];
    await merge(heard, b);
    play.contacts.set(b, { id: b, email: 'b@example.com' });
    for (const id of [heard, unheard]) play.merged.set(id, b);
    const workflowId = await create({ entry: { policy: 'every_time' } });
    for (const id of [b, unheard]) assert.equal((await trigger(workflowId, id)).data.runs[0].contact_id, b);
    await eventually(async () => {
      const { data } = await trigger(workflowId, heard);
      return data.runs[0].contact_id === b;
    });
  });

  await t.test('has its events start runs for the survivor', async () => {
    const [a, b] = [await contact(), await contact()];
    const runId = await begin(await create(), a);
    await merge(a, b);
    await isOf(runId, b);
    const workflowId = await create({ trigger: { type: 'event', name: 'late' } });
    await play.publish(EventTracked, account.accountId, {
      event_id: newId('activity'),
      event: 'late',
      visitor_id: null,
      contact_id: a,
      time: clock().toISOString(),
      properties: {},
      value: null,
      bot: false,
    });
    const [run] = await eventually(async () => {
      const { items } = (await account.get(`/v2/workflows/${workflowId}/runs`)).data;
      return items.length > 0 && items;
    });
    assert.equal(run.contact_id, b);
  });

  await t.test('is erased with its survivor', async () => {
    const [a, b] = [await contact(), await contact()];
    const runId = await begin(await create(), a);
    await merge(a, b);
    await isOf(runId, b);
    await play.publish(ContactDeleted, account.accountId, { contact_id: b, revision: 5, merged_ids: [a] });
    await eventually(async () => (await read(runId)).reason === 'contact_deleted');
    assert.equal((await trigger(await create(), a)).status, 400);
  });

  await t.test('is erased with its runs, even when the erasure arrives before the undo of its merge', async () => {
    const [a, b] = [await contact(), await contact()];
    const runId = await begin(await create(), a);
    await merge(a, b);
    await isOf(runId, b);
    const erasure_id = newId('erasure');
    await play.publish(ContactErased, account.accountId, { erasure_id, contact_id: a, merged_ids: [], revision: 4 });
    const receipt = await eventually(async () => {
      const receipts = await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: WorkflowsContactErased.subject });
      return receipts.find(({ envelope }) => envelope.data.erasure_id === erasure_id);
    });
    assert.equal(receipt.envelope.data.removed.runs, 1);
    assert.equal((await account.get(`/v2/workflows/runs/${runId}`)).status, 404);
    assert.equal((await trigger(await create(), b)).status, 202);
  });
});
