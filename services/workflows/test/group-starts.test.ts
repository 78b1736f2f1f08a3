import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventEnvelope } from '@mp/contracts/event';
import { ContactDeleted, ContactUpdated, FormConfirmed, FormSubmitted } from '@mp/contracts/events/contacts';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { MembershipEntered } from '@mp/contracts/events/segments';
import { ContactEffectRequested, TrackEffectRequested } from '@mp/contracts/events/workflows';
import { type ContactId, newId } from '@mp/ids';
import { anEvent } from '@mp/test-kit/an-event';
import { applyEvents } from '@mp/test-kit/apply-events';
import { countCommands } from '@mp/test-kit/count-commands';
import { writtenEvents } from '@mp/test-kit/written-events';
import { runCollections } from '../src/runs/run-collections.ts';
import type { Workflow } from '../src/workflows/workflow.ts';
import { handlersOf, workflowSince } from './handlers.ts';
import { contactOf } from './setting.ts';

const now = new Date();
const anHourAgo = new Date(now.getTime() - 60 * 60_000);
const tag = { id: 'tag', type: 'add_tag' as const, tag: 'x' };
/** Each call returns a new time: a contact that enters a segment twice at one time has one membership and starts one run. */
const newTime = () => {
  let calls = 0;
  return () => new Date(now.getTime() + calls++).toISOString();
};
const people = (count: number) => Array.from({ length: count }, () => newId('contact'));

test('a group of events of many contacts', async (t) => {
  const { mongo, handlers, insert, stores } = await handlersOf(t, () => now);
  const { runs, log } = runCollections(mongo.db);
  const standingOf = async (workflow: Workflow) => {
    const standing = (await runsOf(workflow)).map(({ state, step, waiting }) => `${state} ${step} ${waiting?.for}`);
    return [...Map.groupBy(standing, (one) => one)].map(([one, all]) => [one, all.length] as const);
  };
  const runsOf = ({ id }: Workflow) => runs.find({ workflow_id: id }).toArray();
  const together = (events: readonly EventEnvelope[]) => applyEvents(mongo, handlers, events, { maxEvents: 200, atOnce: 1 });
  /** Behind the first event, which an idle consumer applies alone, the others form one group. */
  const costOf = (events: readonly EventEnvelope[], before: EventEnvelope) => countCommands(mongo, () => together([before, ...events]));

  await t.test('starts a run of each, or moves a run of each, with few commands and one commit', async () => {
    const accountId = newId('account');
    const segment_id = newId('segment');
    const enter = (contact_id: ContactId) =>
      anEvent(MembershipEntered, accountId, {
        ...{ segment_id, segment_name: 'S', contact_id, sequence: 1, at: now.toISOString(), cause: 'contact' },
      });
    const update = (id: ContactId, changed: string[], revision = 2) =>
      anEvent(ContactUpdated, accountId, { contact: contactOf({ id, email: 'c@example.com', revision }), changed });
    const track = (contact_id: ContactId) =>
      anEvent(EventTracked, accountId, {
        ...{ event_id: newId('activity'), event: 'order', visitor_id: null, contact_id, bot: false },
        ...{ time: new Date().toISOString(), properties: {}, value: null },
      });
    const contacts = people(100);
    const [other] = people(1);
    assert.ok(other);

    const untouched = await costOf(
      contacts.map((id) => update(id, ['company'])),
      update(other, ['company']),
    );
    const irrelevant = await countCommands(mongo, () => together([...contacts, other].map(enter)));

    const waiting = {
      id: 'until',
      type: 'wait_until' as const,
      any: [{ type: 'event' as const, name: 'order' }],
      timeout: 'P1D',
      next: 'tag',
    };
    const started = workflowSince(anHourAgo, { trigger: { type: 'segment_entered', segment_id }, steps: [waiting, tag] });
    await insert(accountId, started);
    const starting = await costOf(contacts.map(enter), enter(other));
    assert.equal((await runsOf(started)).length, 101);
    const moving = await costOf(contacts.map(track), track(other));
    const effects = await writtenEvents(mongo.db, { accountId, subject: ContactEffectRequested.subject });
    assert.equal(effects.length, 101);

    const measured = { untouched, irrelevant, starting, moving };
    t.diagnostic(JSON.stringify(measured));
    const most = { untouched: 13, irrelevant: 4, starting: 36, moving: 30 };
    for (const name of ['untouched', 'starting', 'moving'] as const) {
      assert.ok(measured[name].documents <= (name === 'untouched' ? 220 : 560), `${name}: ${measured[name].documents} documents`);
      assert.ok(measured[name].commands <= most[name], `${name}: ${measured[name].commands} commands`);
      assert.equal(measured[name].commits, 2, name);
    }
    assert.ok(irrelevant.commands <= most.irrelevant, `irrelevant: ${irrelevant.commands} commands`);
    assert.equal(irrelevant.commits, 0);
  });

  await t.test('of forms starts a run of each, or moves a run of each, with few commands and one commit', async () => {
    const accountId = newId('account');
    const form = { form_id: newId('form'), form_name: 'F', form_version: 1, consents: [] };
    const at = new Date().toISOString();
    const submit = (contact_id: ContactId) =>
      anEvent(FormSubmitted, accountId, {
        ...{ ...form, submission_id: newId('submission'), contact_id, is_new: true, awaits_confirmation: true, page: null, at },
      });
    const confirm = (contact_id: ContactId) =>
      anEvent(FormConfirmed, accountId, { ...form, opt_in_id: newId('optIn'), contact_id, submitted_at: at, at });
    const [contacts, [other]] = [people(100), people(1)];
    assert.ok(other);
    const irrelevant = await countCommands(mongo, () => together([...contacts, other].map(submit)));
    const any = [{ type: 'form_confirmed' as const, form_id: form.form_id }];
    const until = { id: 'until', type: 'wait_until' as const, any, timeout: 'P1D', next: 'tag' };
    const started = workflowSince(anHourAgo, { trigger: { type: 'form_submitted', form_id: form.form_id }, steps: [until, tag] });
    await insert(accountId, started);
    const starting = await costOf(contacts.map(submit), submit(other));
    const moving = await costOf(contacts.map(confirm), confirm(other));
    t.diagnostic(JSON.stringify({ irrelevant, starting, moving }));
    assert.equal((await runsOf(started)).length, 101);
    assert.ok(irrelevant.commands <= 4 && irrelevant.commits === 0, `irrelevant: ${irrelevant.commands} commands`);
    assert.ok(starting.commands <= 40 && starting.commits === 2 && starting.documents <= 560, `starting: ${starting.commands} commands`);
    assert.ok(moving.commands <= 30 && moving.commits === 2 && moving.documents <= 560, `moving: ${moving.commands} commands`);
  });

  await t.test('stops workflows that trigger each other, each contact by its own chain', async () => {
    const accountId = newId('account');
    const updating = (from: string, to: string) =>
      workflowSince(anHourAgo, {
        trigger: { type: 'contact_updated', fields: [`attributes.${from}`] },
        entry: { policy: 'every_time' },
        steps: [{ id: 'set', type: 'update_contact', set: { attributes: { [to]: 'x' } } }],
      });
    const [ping, pong] = [updating('ping', 'pong'), updating('pong', 'ping')];
    await insert(accountId, ping, pong);
    const contacts = people(30);
    const update = (id: ContactId, name: string, revision: number) =>
      anEvent(ContactUpdated, accountId, { contact: contactOf({ id, email: 'p@example.com', revision }), changed: [`attributes.${name}`] });

    await together(contacts.map((id) => update(id, 'ping', 2)));
    const applied = new Set<string>();
    let rounds = 0;
    for (let isNew = true; isNew; rounds += 1) {
      const requested = await writtenEvents(mongo.db, { accountId, subject: ContactEffectRequested.subject });
      const fresh = requested.filter(({ id }) => !applied.has(id));
      for (const { id } of fresh) applied.add(id);
      isNew = fresh.length > 0;
      assert.ok(rounds < 10, 'they do not stop');
      await together(
        fresh.map(({ envelope: { correlation_id, data } }) => {
          const [name = ''] = Object.keys(data.change.members.attributes);
          return { ...update(data.contact_id, name, 3 + rounds), correlation_id };
        }),
      );
    }
    const perContact = Map.groupBy([...(await runsOf(ping)), ...(await runsOf(pong))], ({ contact_id }) => contact_id);
    assert.deepEqual(
      contacts.map((id) => perContact.get(id)?.length),
      contacts.map(() => 3),
    );
    const chains = (await runsOf(pong)).flatMap(({ locks }) => locks.filter((lock) => lock.startsWith('chain ')));
    assert.equal(new Set(chains).size, contacts.length);
  });

  await t.test('enters a workflow as its entry policy says, and waits for capacity', async () => {
    const accountId = newId('account');
    const segment_id = newId('segment');
    const enteredAt = newTime();
    const enter = (contact_id: ContactId) =>
      anEvent(MembershipEntered, accountId, {
        ...{ segment_id, segment_name: 'S', contact_id, sequence: 1, at: enteredAt(), cause: 'contact' },
      });
    const trigger = { type: 'segment_entered' as const, segment_id };
    const once = workflowSince(anHourAgo, { trigger, entry: { policy: 'once' } });
    const afterExit = workflowSince(anHourAgo, { trigger, steps: [{ id: 'wait', type: 'delay', for: 'P1D' }] });
    const always = workflowSince(anHourAgo, { trigger, entry: { policy: 'every_time' } });
    const limited = workflowSince(anHourAgo, { trigger, entry: { policy: 'every_time' }, max_concurrent: 3, steps: [tag] });
    await insert(accountId, once, afterExit, always, limited);
    const contacts = people(20);
    await together(contacts.slice(0, 10).map(enter));
    await together([...contacts, ...contacts].map(enter));
    const counts = await Promise.all([once, afterExit, always, limited].map(async (workflow) => (await runsOf(workflow)).length));
    assert.deepEqual(counts, [20, 20, 50, 50]);
    assert.deepEqual(new Set((await runsOf(limited)).map(({ capacity }) => capacity)), new Set(['awaited']));
  });

  await t.test('has the effect of each event, although two of them are about the same merged contact', async () => {
    const accountId = newId('account');
    const segment_id = newId('segment');
    const trigger = { type: 'segment_entered' as const, segment_id };
    const [once, always] = [
      workflowSince(anHourAgo, { trigger, entry: { policy: 'once' } }),
      workflowSince(anHourAgo, { trigger, entry: { policy: 'every_time' } }),
    ];
    await insert(accountId, once, always);
    const contacts = people(8);
    const [merged, survivor] = contacts;
    assert.ok(merged && survivor);
    await together([anEvent(ContactDeleted, accountId, { contact_id: merged, revision: 2, merged_into: survivor })]);
    assert.equal(await stores.contacts.survivorOf(accountId, merged), survivor);
    const enteredAt = newTime();
    await together(
      contacts.map((contact_id) =>
        anEvent(MembershipEntered, accountId, {
          ...{ segment_id, segment_name: 'S', contact_id, sequence: 1, at: enteredAt(), cause: 'contact' },
        }),
      ),
    );
    assert.deepEqual((await runsOf(once)).map(({ contact_id }) => contact_id).sort(), contacts.slice(1).sort());
    assert.equal((await runsOf(always)).filter(({ contact_id }) => contact_id === survivor).length, 2);
    assert.equal((await runsOf(always)).length, 8);
  });

  await t.test('takes the steps that need nothing outside in the transaction that starts the runs, up to a limit', async () => {
    const accountId = newId('account');
    const segment_id = newId('segment');
    const track = (id: string, next?: string) => ({
      id,
      type: 'track_event' as const,
      event: 'joined',
      properties: {},
      ...(next !== undefined && { next }),
    });
    const trigger = { type: 'segment_entered' as const, segment_id };
    const started = workflowSince(anHourAgo, {});
    const start = { id: 'start', type: 'start_workflow' as const, workflow_id: started.id, data: {}, next: 'tag' };
    const starting = workflowSince(anHourAgo, { trigger, steps: [track('track', 'start'), start, tag] });
    const ids = Array.from({ length: 14 }, (_, index) => `s${index}`);
    const long = workflowSince(anHourAgo, { trigger, steps: ids.map((id, index) => track(id, ids[index + 1])) });
    await insert(accountId, started, starting, long);
    const contacts = people(50);
    const enter = (contact_id: ContactId) =>
      anEvent(MembershipEntered, accountId, {
        ...{ segment_id, segment_name: 'S', contact_id, sequence: 1, at: now.toISOString(), cause: 'contact' },
      });
    const [first, ...others] = contacts.map(enter);
    assert.ok(first);
    const cost = await costOf(others, first);
    assert.equal(cost.commits, 2);
    t.diagnostic(JSON.stringify(cost));
    assert.ok(cost.commands <= 180, `${cost.commands} commands`);

    const standing = async (workflow: Workflow) => Object.fromEntries(await standingOf(workflow));
    assert.deepEqual(await standing(starting), { 'waiting tag effect': 50 });
    assert.deepEqual(await standing(started), { 'exited end undefined': 50 });
    assert.deepEqual(await standing(long), { 'waiting s10 answer': 50 });
    const [run] = await runsOf(starting);
    assert.ok(run);
    const rows = await log.find({ run_id: run._id }).sort({ sequence: 1 }).toArray();
    assert.deepEqual(
      rows.map(({ entries }) => entries.map(({ step, what }) => `${step ?? 'run'} ${what}`)),
      [
        ['run started', 'track requested'],
        ['track done', 'start requested'],
        ['start done', 'tag requested'],
      ],
    );
    const tracked = await writtenEvents(mongo.db, { accountId, subject: TrackEffectRequested.subject });
    assert.equal(tracked.length, 50 * 11);
    for (const { envelope } of tracked) assert.equal(envelope.correlation_id, envelope.data.effect_key);
  });

  await t.test('stops workflows that start each other', async () => {
    const accountId = newId('account');
    const segment_id = newId('segment');
    const ping = workflowSince(anHourAgo, { trigger: { type: 'segment_entered', segment_id }, entry: { policy: 'every_time' } });
    const starting = ({ id }: Workflow) => [{ id: 'start', type: 'start_workflow' as const, workflow_id: id, data: {} }];
    const pong = workflowSince(anHourAgo, { entry: { policy: 'every_time' }, steps: starting(ping) });
    await insert(accountId, { ...ping, steps: starting(pong) }, pong);
    const contacts = people(20);
    await together(
      contacts.map((contact_id) =>
        anEvent(MembershipEntered, accountId, {
          ...{ segment_id, segment_name: 'S', contact_id, sequence: 1, at: now.toISOString(), cause: 'contact' },
        }),
      ),
    );
    const counts = await Promise.all([ping, pong].map(async (workflow) => (await runsOf(workflow)).length));
    assert.deepEqual(counts, [40, 20]);
    assert.equal(await runs.countDocuments({ account_id: accountId, state: { $ne: 'completed' } }), 0);
  });
});
