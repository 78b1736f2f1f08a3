import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { type ContactId, newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { liveService } from './live-service.ts';
import { mail } from './setting.ts';

const dayMs = 86_400_000;
const steps = [{ id: 'end', type: 'exit' }];

test('a workflow that is activated with the contacts that had the event of its trigger', async (t) => {
  const { account, clock, contact, create, parts, play, runsOf } = await liveService(t);
  const runs = parts.mongo.db.collection('runs');
  const trigger = { type: 'event', name: 'order_placed', where: { 'value.amount': { gte: 10 } } };
  const draft = (body: object = {}) => create({ trigger, status: 'draft', entry: { policy: 'every_time' }, steps, ...body });
  const activate = (id: string, body: object = { include_past_days: 30 }) => account.post(`/v2/workflows/${id}/activate`, body);
  const enrollment = async (id: string) => (await account.get(`/v2/workflows/${id}`)).data.enrollment;
  const completed = (id: string) =>
    eventually(async () => {
      const found = await enrollment(id);
      return found?.status === 'completed' && found;
    });
  const order = (contact_id: ContactId, event_id = newId('event')) => ({
    ...{ contact_id, event_id, time: clock().toISOString(), properties: { sku: 'A1' }, value: { amount: 40, currency: 'EUR' } },
  });
  const startsOf = async (id: string) =>
    (await runs.find({ workflow_id: id }).toArray()).map(({ contact_id }) => String(contact_id)).sort();
  const track = (workflow: { id: string }, { contact_id, ...event }: ReturnType<typeof order>) =>
    play
      .publish(EventTracked, account.accountId, { ...event, contact_id, event: 'order_placed', visitor_id: null, bot: false })
      .then(() => workflow);

  await t.test('starts one run for each of them, with their event, and shows the progress', async () => {
    const orders = Array.from({ length: 1_100 }, () => order(newId('contact')));
    const requests: object[] = [];
    play.people = (request) => {
      requests.push(request);
      return [...orders];
    };
    const workflow = await draft();
    const { data: preview } = await account.get(`/v2/workflows/${workflow.id}/activation?past_days=30`);
    assert.deepEqual([preview.contacts, preview.exact, preview.emails_first_hour], [1_100, true, 0]);
    const { status, data, text } = await activate(workflow.id);
    assert.deepEqual([status, data?.enrollment.status], [200, 'running'], text);
    const { processed, started } = await completed(workflow.id);
    assert.deepEqual([processed, started], [1_100, 1_100]);
    assert.deepEqual(await startsOf(workflow.id), orders.map(({ contact_id }) => String(contact_id)).sort());
    const [{ data: seen }] = await runsOf(workflow.id);
    assert.deepEqual([seen.name, seen.value, seen.properties], ['order_placed', { amount: 40, currency: 'EUR' }, { sku: 'A1' }]);
    const [{ event, where, from, until }] = requests.slice(-1) as [{ event: string; where: object; from: string; until: string }];
    assert.deepEqual([event, where, Date.parse(until) - Date.parse(from)], ['order_placed', trigger.where, 30 * dayMs]);
  });

  await t.test('starts one run by an event that also arrives, and none twice when it is repeated, even after a pause', async () => {
    const workflow = await draft();
    await activate(workflow.id, {});
    const [before, after] = [order(await contact()), order(await contact())];
    play.people = () => [before, after];
    await track(workflow, before);
    await eventually(async () => (await startsOf(workflow.id)).length === 1);
    await activate(workflow.id);
    assert.equal((await completed(workflow.id)).started, 1);
    const last = order(await contact());
    await track(workflow, after);
    await track(workflow, last);
    await eventually(async () => (await startsOf(workflow.id)).includes(last.contact_id));
    assert.deepEqual(await startsOf(workflow.id), [before, after, last].map(({ contact_id }) => String(contact_id)).sort());
    await account.post(`/v2/workflows/${workflow.id}/pause`);
    await activate(workflow.id);
    assert.equal((await completed(workflow.id)).started, 0);
  });

  await t.test('starts one run for contacts that were merged', async () => {
    const [old, survivor] = [newId('contact'), await contact()];
    await parts.mongo.db.collection<{ _id: string }>('contacts').insertOne({
      _id: old,
      account_id: account.accountId,
      deleted: true,
      merged_into: survivor,
      email_key: null,
      revision: 2,
    } as {
      _id: string;
    });
    play.people = () => [order(old), order(survivor)];
    const workflow = await draft();
    await activate(workflow.id);
    const { processed, started } = await completed(workflow.id);
    assert.deepEqual([processed, started], [2, 1]);
    assert.deepEqual(await startsOf(workflow.id), [survivor]);
  });

  await t.test('waits until leadpulse has counted what was received before', async () => {
    play.withoutPosition.add('leadpulse');
    play.people = () => [order(newId('contact'))];
    const workflow = await draft();
    await activate(workflow.id);
    await eventually(async () => play.positionsAsked.some(({ publisher }) => publisher === 'leadpulse'));
    assert.deepEqual([(await enrollment(workflow.id)).status, await startsOf(workflow.id)], ['running', []]);
    play.withoutPosition.delete('leadpulse');
    assert.equal((await completed(workflow.id)).started, 1);
  });

  await t.test('starts nobody without asking, and rejects other triggers and more days than are allowed', async () => {
    play.people = () => [order(newId('contact'))];
    const workflow = await draft({ steps: [{ id: 'mail', ...mail }] });
    assert.equal((await activate(workflow.id, {})).data.enrollment, null);
    for (const days of [0, 91, 1.5]) assert.equal((await activate(workflow.id, { include_past_days: days })).status, 400);
    const manual = await create({ trigger: { type: 'manual' }, steps, status: 'draft' });
    const refused = await activate(manual.id);
    assert.deepEqual([refused.status, refused.error.details[0].path], [400, '/include_past_days']);
    const current = await activate(workflow.id, { include_current: true });
    assert.deepEqual([current.status, current.error.details[0].path], [400, '/include_current']);
    assert.equal((await account.get(`/v2/workflows/${manual.id}/activation?past_days=7`)).data.contacts, null);
  });

  await t.test('needs the approval of a second person, who sees how far back it goes', async () => {
    assert.equal((await account.as({ principal_id: newId('user') }).put('/v2/workflows/settings', { approval: 'always' })).status, 200);
    const workflow = await draft();
    assert.equal((await activate(workflow.id, { include_past_days: 14 })).status, 202);
    const { data } = await account.get(`/v2/workflows/${workflow.id}/approval`);
    assert.deepEqual([data.include_current, data.include_past_days], [false, 14]);
  });
});
