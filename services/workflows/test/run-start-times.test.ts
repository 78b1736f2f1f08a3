import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactUpdated } from '@mp/contracts/events/contacts';
import { EventAttributed, EventTracked } from '@mp/contracts/events/leadpulse';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import { config, contactOf, fakeServices, knownContact } from './setting.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const rule = { field: 'tags', op: 'contains', value: 'vip' };
const branching = [
  { id: 'which', type: 'branch', branches: [{ when: rule, to: 'vip' }], else: 'other' },
  { id: 'vip', type: 'exit', reason: 'vip' },
  { id: 'other', type: 'exit', reason: 'other' },
];

test('when an event or a change starts a run', async (t) => {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const play = await fakeServices(t, clock);
  const parts = await testParts(t, 'workflows');
  const { app, engine } = await testService(t, parts, (own) => buildApp(own, { ...config, clock }), { live: true });
  const account = testClient(app);
  const create = async (body: object) => {
    const response = await account.post('/v2/workflows', {
      name: 'W',
      entry: { policy: 'every_time' },
      steps: [{ id: 'end', type: 'exit' }],
      ...body,
    });
    assert.equal(response.status, 201, response.text);
    return response.data;
  };
  const runsOf = async (workflowId: string) => (await account.get(`/v2/workflows/${workflowId}/runs`)).data.items;
  const firstRun = (workflowId: string) => eventually(async () => (await runsOf(workflowId))[0]);
  const activity = (data: object) => ({
    event_id: newId('activity'),
    event: 'order_placed',
    visitor_id: null,
    contact_id: newId('contact'),
    time: clock().toISOString(),
    properties: {},
    value: null,
    bot: false,
    ...data,
  });
  const track = (data: object) => play.publish(EventTracked, account.accountId, activity(data));
  const attribute = (data: object) => play.publish(EventAttributed, account.accountId, activity(data));
  let names = 0;
  const newEvent = () => {
    names += 1;
    return `order_${names}`;
  };

  await t.test('an event counts by the time it happened, not by the time it arrived', async () => {
    const event = newEvent();
    const workflow = await create({ trigger: { type: 'event', name: event } });
    const before = (ms: number) => new Date(Date.parse(workflow.activated_at) - ms).toISOString();
    await track({ event, time: before(300 * dayMs) });
    await track({ event, time: before(1) });
    const { data } = await track({ event, time: workflow.activated_at });
    const run = await firstRun(workflow.id);
    assert.equal(run.contact_id, Object(data).contact_id);
    assert.equal((await runsOf(workflow.id)).length, 1);
  });

  await t.test('a trigger counts from the time it was set, not from the creation of the workflow', async () => {
    const event = newEvent();
    const workflow = await create({ trigger: { type: 'manual' } });
    const renamed = (await account.put(`/v2/workflows/${workflow.id}`, { name: 'New' })).data;
    assert.equal(renamed.activated_at, workflow.activated_at);
    const changed = (await account.put(`/v2/workflows/${workflow.id}`, { trigger: { type: 'event', name: event } })).data;
    await track({ event, time: new Date(Date.parse(changed.activated_at) - 1).toISOString() });
    const { data } = await track({ event, time: changed.activated_at });
    assert.deepEqual([(await firstRun(workflow.id)).contact_id, (await runsOf(workflow.id)).length], [Object(data).contact_id, 1]);
  });

  await t.test('the run stores the event, up to a size limit', async () => {
    const event = newEvent();
    const workflow = await create({ trigger: { type: 'event', name: event } });
    const properties = {
      plan: 'pro',
      'page.url': 'https://example.com/',
      ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`p${i}`, 'x'.repeat(2_000)])),
    };
    const time = clock().toISOString();
    await track({ event, time, properties, value: { amount: 12.5, currency: 'EUR' } });
    const { data } = await firstRun(workflow.id);
    const { properties: kept, ...rest } = data;
    assert.deepEqual(rest, { name: event, time, value: { amount: 12.5, currency: 'EUR' } });
    assert.deepEqual([kept.plan, kept['page.url'], kept.p0.length, kept.p19], ['pro', 'https://example.com/', 2_000, undefined]);
    assert.ok(JSON.stringify(data).length <= 16 * 1_024);
  });

  await t.test('`where` can match the value', async () => {
    const event = newEvent();
    const workflow = await create({
      trigger: { type: 'event', name: event, where: { 'value.amount': { gte: 10 }, 'value.currency': 'EUR', 'properties.plan': 'pro' } },
    });
    const properties = { plan: 'pro' };
    await track({ event, properties });
    await track({ event, properties, value: { amount: 9, currency: 'EUR' } });
    await track({ event, properties, value: { amount: 12, currency: 'USD' } });
    const { data } = await track({ event, properties, value: { amount: 12, currency: 'EUR' } });
    assert.deepEqual([(await firstRun(workflow.id)).contact_id, (await runsOf(workflow.id)).length], [Object(data).contact_id, 1]);
    const refused = await account.post('/v2/workflows', {
      name: 'W',
      trigger: { type: 'event', name: event, where: { 'value.size': 1 } },
      steps: [{ id: 'end', type: 'exit' }],
    });
    assert.equal(refused.status, 400);
  });

  await t.test(
    'an event starts a workflow once for its contact, whether the contact was known immediately or identified later',
    async () => {
      const event = newEvent();
      const workflow = await create({ trigger: { type: 'event', name: event } });
      const both = activity({ event });
      await play.publish(EventTracked, account.accountId, both);
      await play.publish(EventAttributed, account.accountId, both);
      await track({ event, contact_id: null });
      await attribute({ event, time: new Date(Date.parse(workflow.activated_at) - dayMs).toISOString() });
      await attribute({ event, bot: true });
      const late = await attribute({ event });
      await eventually(async () => (await runsOf(workflow.id)).length === 2);
      assert.deepEqual(
        (await runsOf(workflow.id)).map((run: { contact_id: string }) => run.contact_id).sort(),
        [both.contact_id, Object(late.data).contact_id].sort(),
      );
      // Consumed after all of those.
      const last = await attribute({ event });
      await eventually(async () =>
        (await runsOf(workflow.id)).some((run: { contact_id: string }) => run.contact_id === Object(last.data).contact_id),
      );
      assert.equal((await runsOf(workflow.id)).length, 3);
    },
  );

  await t.test('an event attributed more than a day after it happened starts nothing', async () => {
    const event = newEvent();
    const workflow = await create({ trigger: { type: 'event', name: event } });
    ahead += 3 * dayMs;
    const daysAgo = (days: number) => new Date(clock().getTime() - days * dayMs).toISOString();
    await attribute({ event, time: daysAgo(1.01) });
    const { data } = await attribute({ event, time: daysAgo(0.99) });
    const run = await firstRun(workflow.id);
    assert.equal(run.contact_id, Object(data).contact_id);
    assert.equal((await runsOf(workflow.id)).length, 1);
  });

  const reason = (workflowId: string) =>
    eventually(async () => {
      const [run] = await runsOf(workflowId);
      if (run?.waiting_for === 'answer') {
        ahead += 1_000;
        engine.wake();
      }
      return run?.ended_at ? run.reason : undefined;
    });

  await t.test('a branch waits until segments has applied the event and the revision of the contact', async () => {
    const event = newEvent();
    const workflow = await create({ trigger: { type: 'event', name: event }, steps: branching });
    const contact = { id: newId('contact'), email: 'lag@example.com', revision: 5 };
    play.contacts.set(contact.id, contact);
    const requests: { at_least_revision: number; after_events: string[] }[] = [];
    play.rule = ({ at_least_revision, after_events, contact_id }) => {
      if (contact_id === contact.id) requests.push({ at_least_revision, after_events });
      return { known: requests.length > 2, matches: true };
    };
    const { id } = await track({ event, contact_id: contact.id });
    assert.equal(await reason(workflow.id), 'vip');
    assert.deepEqual(requests, Array(3).fill({ at_least_revision: 5, after_events: [id] }));
  });

  await t.test('a branch after an API trigger waits for the revision that contacts has, not the one in the projection', async () => {
    const workflow = await create({ trigger: { type: 'manual' }, steps: branching });
    const contactId = await knownContact(parts, account.accountId, 'put@example.com');
    play.contacts.set(contactId, { id: contactId, email: 'put@example.com', revision: 2 });
    play.rule = ({ at_least_revision }) => ({ known: true, matches: at_least_revision === 2 });
    const response = await account.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: contactId });
    assert.equal(response.status, 202, response.text);
    assert.equal(await reason(workflow.id), 'vip');
  });

  await t.test('a branch after a contact change waits for that revision', async () => {
    play.rule = ({ at_least_revision }) => ({ known: true, matches: at_least_revision === 9 });
    const created = await create({ trigger: { type: 'contact_updated', fields: ['company'] }, steps: branching });
    const contact = contactOf({ id: newId('contact'), email: 'changed@example.com', revision: 9 });
    await play.publish(ContactUpdated, account.accountId, { contact, changed: ['company'] });
    assert.equal(await reason(created.id), 'vip');
  });
});
