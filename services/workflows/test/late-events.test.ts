import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageClicked } from '@mp/contracts/events/campaigns';
import { ContactUpdated } from '@mp/contracts/events/contacts';
import { EventAttributed, EventTracked } from '@mp/contracts/events/leadpulse';
import { type ContactId, newId } from '@mp/ids';
import type { Parts } from '@mp/service-kit/service-parts';
import { eventually } from '@mp/test-kit/eventually';
import { liveService } from './live-service.ts';
import { contactOf, knownContacts, mail } from './setting.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;
const segmentId = newId('segment');

const bought = { type: 'event', name: 'order_placed' };
const waitFor = (...any: object[]) => [
  { id: 'wait', type: 'wait_until', any, timeout: 'PT1H', next: 'happened', on_timeout: 'reminder' },
  { id: 'happened', type: 'exit', reason: 'happened' },
  { id: 'reminder', ...mail },
];
const delayed = [
  { id: 'wait', type: 'delay', for: 'PT1H', next: 'reminder' },
  { id: 'reminder', ...mail, next: 'goal' },
];

test('an event counts by its time, however late it is processed', async (t) => {
  const late = new Map<string, PromiseWithResolvers<void>>();
  const release = () => {
    for (const { resolve } of late.values()) resolve();
    late.clear();
  };
  t.after(release);
  // Events in `late` are not applied until they are released.
  const alter = (parts: Parts): Parts => {
    const transaction: Parts['mongo']['transaction'] = async (origin, work, limit) => {
      await late.get(origin.causationId ?? '')?.promise;
      return parts.mongo.transaction(origin, work, limit);
    };
    return { ...parts, mongo: { ...parts.mongo, transaction } };
  };
  const service = await liveService(t, {}, alter);
  const { account, clock, contact, create, ended, parts, pass, performedFor, play, read, stands, trigger } = service;

  const holding = () => {
    const id = newId('event');
    late.set(id, Promise.withResolvers());
    return { id };
  };
  const activity = (contact_id: ContactId, time = clock()) => ({
    ...{ event_id: newId('activity'), event: bought.name, visitor_id: null, contact_id, time: time.toISOString() },
    ...{ properties: {}, value: null, bot: false },
  });
  const track = (contactId: ContactId) => play.publish(EventTracked, account.accountId, activity(contactId), holding());
  const begin = async (definition: object, step = 'wait') => {
    const { id } = await create(definition);
    const contactId = await contact();
    const runId = await trigger(id, contactId);
    await stands(runId, step);
    return { runId, contactId };
  };
  /** Lets the time pass, until the engine has advanced every run that was due. */
  const passUntilDue = async (ms: number) => {
    const witness = await begin({ steps: [{ id: 'wait', type: 'delay', for: `PT${ms / 1_000}S` }] });
    pass(ms);
    await ended(witness.runId);
  };

  await t.test('a run that waits or is delayed takes the path of what happened, whatever it watches for', async () => {
    const runs = {
      event: await begin({ steps: waitFor(bought) }),
      attributed: await begin({ steps: waitFor(bought) }),
      goal: await begin({
        steps: [
          { id: 'wait', type: 'goal', any: [bought], within: 'PT1H', next: 'reminder' },
          { id: 'reminder', ...mail },
        ],
      }),
      goalInDelay: await begin({ steps: [...delayed, { id: 'goal', type: 'goal', any: [bought], within: 'P1D' }] }),
      exit: await begin({ exit_when: [bought], steps: [...delayed, { id: 'goal', type: 'exit' }] }),
      field: await begin({ steps: waitFor({ type: 'field', when: { field: 'tags', op: 'contains', value: 'vip' } }) }),
      unsubscribed: await begin({
        exit_when: [{ type: 'unsubscribed' }],
        steps: delayed.map(({ next, ...step }) => ({ ...step, ...(step.id === 'wait' && { next }) })),
      }),
      segment: await begin({ steps: waitFor({ type: 'segment_entered', segment_id: segmentId }) }),
      click: await begin({ steps: [{ id: 'first', ...mail, next: 'wait' }, ...waitFor({ type: 'message_clicked' })] }),
    };
    const { accountId } = account;
    for (const name of ['event', 'goal', 'goalInDelay', 'exit'] as const) await track(runs[name].contactId);
    await play.publish(EventAttributed, accountId, activity(runs.attributed.contactId), holding());
    const update = (id: ContactId, change: object, changed: string) =>
      play.publish(
        ContactUpdated,
        accountId,
        { contact: contactOf({ id, email: `${id}@example.com`, revision: 5, ...change }), changed: [changed] },
        holding(),
      );
    await update(runs.field.contactId, { tags: ['vip'] }, 'tags');
    await update(runs.unsubscribed.contactId, { status: 'unsubscribed' }, 'status');
    await play.enterSegment(accountId, segmentId, runs.segment.contactId, { ...holding(), time: clock().toISOString() });
    const [effect_key = ''] = performedFor(runs.click.runId).map((effect) => effect.effect_key);
    await play.publish(
      MessageClicked,
      accountId,
      {
        ...{ recipient_id: 'recipient', contact_id: runs.click.contactId, campaign_id: null, workflow_id: 'workflow', effect_key },
        ...{ at: clock().toISOString(), url: 'https://example.com', machine: false },
      },
      holding(),
    );

    await passUntilDue(hourMs);
    for (const [name, { runId }] of Object.entries(runs)) assert.equal((await read(runId)).step_id, 'wait', name);
    release();
    const outcomes = await Promise.all(
      Object.entries(runs).map(async ([name, { runId }]) => {
        const { state, reason } = await ended(runId);
        return [name, { state, reason, emails: performedFor(runId).length }] as const;
      }),
    );
    const happened = { state: 'exited', reason: 'happened', emails: 0 };
    const left = { state: 'exited', reason: 'exit_condition', emails: 0 };
    assert.deepEqual(Object.fromEntries(outcomes), {
      event: happened,
      attributed: happened,
      goal: { state: 'converted', reason: 'wait', emails: 0 },
      goalInDelay: { state: 'converted', reason: 'goal', emails: 0 },
      exit: left,
      field: happened,
      unsubscribed: left,
      segment: happened,
      click: { ...happened, emails: 1 },
    });
  });

  await t.test('an event counts even if it had not been published at the end of the window', async () => {
    const { runId, contactId } = await begin({ steps: waitFor(bought) });
    const time = clock();
    play.withoutPosition.add('leadpulse');
    await passUntilDue(hourMs);
    assert.equal((await read(runId)).step_id, 'wait');
    await play.publish(EventTracked, account.accountId, activity(contactId, time));
    play.withoutPosition.delete('leadpulse');
    assert.equal((await ended(runId)).reason, 'happened');
    assert.equal(performedFor(runId).length, 0);
  });

  await t.test('an event counts even if segments evaluates it after the window', async () => {
    const { runId, contactId } = await begin({ steps: waitFor({ type: 'segment_entered', segment_id: segmentId }) });
    play.withoutPosition.add('segments');
    await passUntilDue(hourMs);
    assert.equal((await read(runId)).step_id, 'wait');
    await play.enterSegment(account.accountId, segmentId, contactId, { time: clock().toISOString() });
    play.withoutPosition.delete('segments');
    assert.equal((await ended(runId)).reason, 'happened');
  });

  await t.test('an event counts even if the run reaches its goal after the window', async () => {
    play.outcome = () => 'silence';
    const steps = [
      { id: 'tag', type: 'add_tag', tag: 'x', next: 'goal' },
      { id: 'goal', type: 'goal', any: [bought], within: 'PT1H', next: 'reminder' },
      { id: 'reminder', ...mail },
    ];
    const { runId, contactId } = await begin({ steps }, 'tag');
    await track(contactId);
    await eventually(async () => play.requests.some((key) => key.startsWith(runId)));
    play.outcome = () => ({ status: 'done' });
    await passUntilDue(hourMs);
    await stands(runId, 'goal');
    await passUntilDue(1_000);
    assert.equal((await read(runId)).step_id, 'goal');
    release();
    assert.deepEqual([(await ended(runId)).state, performedFor(runId).length], ['converted', 1], 'the tag and no email');
  });

  await t.test('a consumer that does not advance holds a run for at most 15 minutes', async () => {
    const { runId, contactId } = await begin({ steps: waitFor(bought) });
    await track(contactId);
    await passUntilDue(hourMs);
    assert.equal((await read(runId)).step_id, 'wait');
    await passUntilDue(14 * minuteMs);
    assert.equal((await read(runId)).step_id, 'wait');
    pass(minuteMs);
    assert.equal((await ended(runId)).state, 'completed');
    assert.equal(performedFor(runId).length, 1);
    release();
  });

  await t.test('runs that are due together share the requested positions; a run that watches for nothing requests none', async () => {
    const { id } = await create({ steps: waitFor(bought) });
    const contacts = await knownContacts(parts, account.accountId, 60);
    const body = { contacts: contacts.map((contact_id) => ({ contact_id })) };
    assert.equal((await account.post(`/v2/workflows/${id}/trigger`, body)).status, 202);
    const runs = parts.mongo.db.collection('runs');
    const are = (state: object) => eventually(async () => (await runs.countDocuments({ workflow_id: id, ...state })) === 60);
    await are({ 'waiting.for': 'event' });
    play.positionsAsked.length = 0;
    await passUntilDue(hourMs);
    await are({ state: 'completed' });
    const requests = play.positionsAsked.filter(({ publisher }) => publisher === 'leadpulse').length;
    assert.ok(requests >= 1 && requests <= 6, `${requests} requests`);
    play.positionsAsked.length = 0;
    await passUntilDue(hourMs);
    assert.deepEqual(play.positionsAsked, []);
  });
});
