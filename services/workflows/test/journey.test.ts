import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactDeleted, ContactEffectCompleted, ContactErased, ContactUpdated } from '@mp/contracts/events/contacts';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { ContactEffectRequested, RunEnded, RunStarted, WorkflowsContactErased } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import fc from 'fast-check';
import { buildApp } from '../src/app.ts';
import { arbitraryDefinition } from './arbitraries.ts';
import { config, contactOf, fakeServices, knownContact, mail, smallest } from './setting.ts';

const dayMs = 24 * 60 * 60 * 1_000;

test('a run, from its trigger to its end', async (t) => {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const play = await fakeServices(t, clock);
  const parts = await testParts(t, 'workflows');
  const { app, engine } = await testService(t, parts, (own) => buildApp(own, { ...config, clock }), { live: true });
  const events = await listenToEvents(t);
  const account = testClient(app);

  const pass = (ms: number) => {
    ahead += ms;
    engine.wake();
  };
  const create = async (body: object) => {
    const response = await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, ...body });
    assert.equal(response.status, 201, response.text);
    return response.data;
  };
  const contact = (email?: string) => knownContact(parts, account.accountId, email);
  const trigger = async (workflowId: string, contactId: string) => {
    const response = await account.post(`/v2/workflows/${workflowId}/trigger`, { contact_id: contactId });
    assert.equal(response.status, 202, response.text);
    return String(response.data.runs[0].run_id);
  };
  const read = async (runId: string) => (await account.get(`/v2/workflows/runs/${runId}`)).data;
  const ended = (runId: string) =>
    eventually(async () => {
      const run = await read(runId);
      return run.ended_at !== null && run;
    });
  const stands = (runId: string, step: string) => eventually(async () => (await read(runId)).step_id === step);
  const logEvents = (run: { log: { event: string; step_id: string | null }[] }) =>
    run.log.map(({ event, step_id }) => `${step_id ?? 'run'} ${event}`);
  const performedFor = (runId: string) => [...play.performed.values()].filter(({ run_id }) => run_id === runId);
  const runsOf = async (workflowId: string) => (await account.get(`/v2/workflows/${workflowId}/runs`)).data.items;

  await t.test('waits, adds the tag, ends, and records all of it in its log and in events', async () => {
    const workflow = await create(smallest);
    const id = await contact();
    const runId = await trigger(workflow.id, id);
    assert.equal((await read(runId)).waiting_for, 'time');
    pass(1_000);
    const run = await ended(runId);
    assert.deepEqual([run.state, run.step_id, run.sequence], ['completed', null, 3]);
    assert.deepEqual(logEvents(run), ['run started', 'wait waiting', 'wait done', 'tag requested', 'tag done', 'run ended']);
    assert.deepEqual(
      performedFor(runId).map((effect) => 'change' in effect && effect.change),
      [{ type: 'add_tag', tag: 'welcomed' }],
    );
    const started = await events.next(RunStarted, ({ data }) => data.run_id === runId);
    assert.deepEqual([started.data.workflow_name, started.data.contact_id, started.account_id], ['Welcome', id, account.accountId]);
    const end = await events.next(RunEnded, ({ data }) => data.run_id === runId);
    assert.deepEqual([end.data.state, end.data.reason], ['completed', null]);
  });

  await t.test('ends a delay on its own, and not early', async () => {
    const workflow = await create(smallest);
    const runId = await trigger(workflow.id, await contact());
    const due = Date.parse((await read(runId)).wake_at);
    const run = await ended(runId);
    assert.ok(Date.parse(run.log.find(({ event }: { event: string }) => event === 'done').at) >= due);
  });

  await t.test('starts when a contact enters the segment, once per event and one at a time, and not because of a past event', async () => {
    const segmentId = newId('segment');
    const workflow = await create({ trigger: { type: 'segment_entered', segment_id: segmentId }, steps: [{ id: 'hi', ...mail }] });
    const contactId = newId('contact');
    play.outcome = () => 'silence';
    const event = await play.enterSegment(account.accountId, segmentId, contactId);
    const [run] = await eventually(async () => {
      const found = await runsOf(workflow.id);
      return found.length > 0 && found;
    });
    await play.enterSegment(account.accountId, segmentId, contactId);
    await play.enterSegment(newId('account'), segmentId, newId('contact'));
    const past = { segment_id: segmentId, segment_name: 'Berlin', sequence: 1, at: new Date().toISOString(), cause: 'backfill' };
    const late = newId('contact');
    await play.enterSegment(account.accountId, segmentId, late, { data: { ...past, contact_id: late } });
    const other = await play.enterSegment(account.accountId, segmentId, newId('contact'));
    await eventually(async () => (await runsOf(workflow.id)).length === 2);
    assert.deepEqual((await runsOf(workflow.id)).map((one: { trigger: object }) => one.trigger).sort(), [
      { type: 'segment_entered', event_id: other.id },
      { type: 'segment_entered', event_id: event.id },
    ]);
    assert.equal(run.state, 'waiting');
    play.outcome = () => ({ status: 'done' });
  });

  await t.test('does not start for an event from before the workflow was active', async () => {
    const segmentId = newId('segment');
    const workflow = await create({ trigger: { type: 'segment_entered', segment_id: segmentId }, steps: [{ id: 'end', type: 'exit' }] });
    const [before, after] = [newId('contact'), newId('contact')];
    await play.enterSegment(account.accountId, segmentId, before, { time: new Date(Date.parse(workflow.activated_at) - 1).toISOString() });
    await play.enterSegment(account.accountId, segmentId, after);
    await eventually(async () => (await runsOf(workflow.id)).length > 0);
    assert.deepEqual(
      (await runsOf(workflow.id)).map((run: { contact_id: string }) => run.contact_id),
      [after],
    );
  });

  await t.test('starts on tracked events whose properties match, not for bots and not for unknown visitors', async () => {
    const workflow = await create({
      trigger: { type: 'event', name: 'order_placed', where: { 'properties.total': { gte: 10 } } },
      entry: { policy: 'every_time' },
      steps: [{ id: 'end', type: 'exit' }],
    });
    const contactId = newId('contact');
    const track = (data: object) =>
      play.tell(EventTracked, account.accountId, {
        event_id: newId('activity'),
        event: 'order_placed',
        visitor_id: null,
        contact_id: contactId,
        time: clock().toISOString(),
        properties: { total: 12 },
        value: null,
        bot: false,
        ...data,
      });
    await track({ properties: { total: 9 } });
    await track({ bot: true });
    await track({ contact_id: null });
    await track({ event: 'order_seen' });
    await track({});
    await track({});
    await eventually(async () => (await runsOf(workflow.id)).length === 2);
  });

  await t.test('takes the first branch whose rule matches, and retries until segments can evaluate it', async () => {
    const rule = { field: 'tags', op: 'contains', value: 'vip' };
    const workflow = await create({
      steps: [
        {
          id: 'which',
          type: 'branch',
          branches: [
            { when: { field: 'country', op: 'eq', value: 'DE' }, to: 'end' },
            { when: rule, to: 'vip' },
          ],
        },
        { id: 'vip', type: 'add_tag', tag: 'gold' },
        { id: 'end', type: 'exit' },
      ],
    });
    let asked = 0;
    play.rule = (ask) => {
      asked += 1;
      return { known: asked > 1, matches: JSON.stringify(ask.rule) === JSON.stringify(rule) };
    };
    const runId = await trigger(workflow.id, await contact());
    await eventually(async () => asked === 1 && (await read(runId)).sequence > 1);
    pass(1_000);
    const run = await ended(runId);
    assert.deepEqual(logEvents(run).slice(1), ['which waiting', 'which waiting', 'which taken', 'vip requested', 'vip done', 'run ended']);
    assert.equal(asked, 3, 'no attempt was used while segments could not evaluate the rule');
  });

  await t.test('continues after a refused step and logs the reason, or fails there and can be retried', async () => {
    play.outcome = () => ({ status: 'refused', reason: 'The contact is unsubscribed.' });
    const steps = [{ id: 'hi', ...mail }];
    const lenient = await ended(await trigger((await create({ steps })).id, await contact()));
    assert.deepEqual([lenient.state, logEvents(lenient)], ['completed', ['run started', 'hi requested', 'hi skipped', 'run ended']]);
    assert.match(lenient.log[2].text, /unsubscribed/);
    const strict = await create({ steps, on_error: 'exit' });
    const runId = await trigger(strict.id, await contact());
    const failed = await ended(runId);
    assert.deepEqual([failed.state, failed.reason, failed.step_id], ['failed', 'The contact is unsubscribed.', 'hi']);
    play.outcome = () => ({ status: 'done' });
    const retried = await account.post(`/v2/workflows/runs/${runId}/retry`);
    assert.deepEqual([retried.status, retried.data.state], [200, 'waiting']);
    const after = await eventually(async () => {
      const run = await read(runId);
      return run.state === 'completed' && run;
    });
    assert.deepEqual(logEvents(after).slice(-4), ['hi retried', 'hi requested', 'hi done', 'run ended']);
    assert.equal((await account.post(`/v2/workflows/runs/${runId}/retry`)).error.code, 'INVALID_STATE');
  });

  await t.test('requests an effect without a reply again with the same key, and gives up after a day', async () => {
    play.outcome = () => 'silence';
    const workflow = await create({ steps: [{ id: 'tag', type: 'add_tag', tag: 'x' }] });
    const runId = await trigger(workflow.id, await contact());
    const asked = () => play.requests.filter((key) => key.startsWith(runId));
    for (const [index, wait] of [10, 50, 300].entries()) {
      await eventually(async () => asked().length === index + 1);
      pass(wait * 60_000);
    }
    await eventually(async () => asked().length === 4);
    assert.deepEqual(new Set(asked()), new Set([`${runId}:1`]));
    pass(dayMs);
    const run = await ended(runId);
    assert.match(run.log.at(-2).text, /No reply within a day/);
    play.outcome = () => ({ status: 'done' });
  });

  await t.test('ends when its contact is deleted, which starts no more runs', async () => {
    const segmentId = newId('segment');
    const workflow = await create({
      trigger: { type: 'segment_entered', segment_id: segmentId },
      steps: [{ id: 'wait', type: 'delay', for: 'P30D' }],
    });
    const contactId = await contact();
    const runId = await trigger(workflow.id, contactId);
    await play.tell(ContactDeleted, account.accountId, { contact_id: contactId, revision: 9 });
    const run = await ended(runId);
    assert.deepEqual([run.state, run.reason], ['exited', 'contact_deleted']);
    await play.enterSegment(account.accountId, segmentId, contactId);
    const other = newId('contact');
    await play.enterSegment(account.accountId, segmentId, other);
    await eventually(async () => (await runsOf(workflow.id)).length === 2);
    assert.equal((await account.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: contactId })).status, 400);
  });

  await t.test('is deleted with its log when its contact is erased, and each request is confirmed', async () => {
    const workflow = await create(smallest);
    const contactId = await contact('erased@example.com');
    const runId = await trigger(workflow.id, contactId);
    const erasure = { erasure_id: newId('event'), contact_id: contactId, merged_ids: [newId('contact')], revision: 5 };
    const receipts = [];
    for (const removed of [1, 0]) {
      const asked = await play.tell(ContactErased, account.accountId, erasure);
      const receipt = await events.next(WorkflowsContactErased, ({ causation_id }) => causation_id === asked.id);
      receipts.push([receipt.data.erasure_id === erasure.erasure_id, receipt.data.removed.runs === removed]);
    }
    assert.deepEqual(receipts, [
      [true, true],
      [true, true],
    ]);
    assert.equal((await account.get(`/v2/workflows/runs/${runId}`)).status, 404);
    for (const name of ['runs', 'run_steps', 'contacts']) {
      const traces = await parts.mongo.db
        .collection(name)
        .countDocuments({ $or: [{ run_id: runId }, { contact_id: contactId }, { email_key: 'erased@example.com' }] });
      assert.equal(traces, 0, name);
    }
    assert.equal((await account.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: contactId })).status, 400);
  });

  await t.test('is held between two steps by a pause, and continues when its workflow is activated', async () => {
    play.outcome = () => 'silence';
    const workflow = await create({
      steps: [
        { id: 'one', type: 'add_tag', tag: 'one', next: 'wait' },
        { id: 'wait', type: 'delay', for: 'PT1H', next: 'two' },
        { id: 'two', type: 'add_tag', tag: 'two' },
      ],
    });
    const [asleep, asking] = [await trigger(workflow.id, await contact()), await trigger(workflow.id, await contact())];
    const done = (runId: string) =>
      play.tell(ContactEffectCompleted, account.accountId, {
        effect_key: `${runId}:1`,
        run_id: runId,
        status: 'done',
        reason: null,
        revision: 2,
      });
    await done(asleep);
    await stands(asleep, 'wait');
    assert.equal((await account.post(`/v2/workflows/${workflow.id}/pause`)).data.status, 'paused');
    await done(asking);
    await eventually(async () => (await read(asking)).state === 'active');
    pass(3_600_000);
    play.outcome = () => ({ status: 'done' });
    await eventually(async () => {
      const held = await parts.mongo.db.collection<{ _id: string; due_at: Date }>('runs').findOne({ _id: asleep });
      return held !== null && held.due_at > clock();
    });
    assert.equal((await read(asleep)).step_id, 'wait');
    assert.equal((await account.post(`/v2/workflows/${workflow.id}/activate`)).data.status, 'active');
    assert.equal((await ended(asleep)).state, 'completed');
    await stands(asking, 'wait');
  });

  await t.test('ends when its workflow is archived or deleted', async () => {
    const steps = [{ id: 'wait', type: 'delay', for: 'P30D' }];
    const [archived, deleted] = [await create({ steps }), await create({ steps })];
    const runIds = [await trigger(archived.id, await contact()), await trigger(deleted.id, await contact())];
    assert.equal((await account.post(`/v2/workflows/${archived.id}/archive`)).status, 200);
    assert.equal((await account.delete(`/v2/workflows/${deleted.id}`)).status, 200);
    const reasons = await Promise.all(runIds.map(async (runId) => (await ended(runId)).reason));
    assert.deepEqual(reasons, ['workflow_archived', 'workflow_deleted']);
  });

  await t.test('stays on the version it started with', async () => {
    const workflow = await create({
      steps: [
        { id: 'wait', type: 'delay', for: 'PT1H', next: 'old' },
        { id: 'old', type: 'add_tag', tag: 'old' },
      ],
    });
    const runId = await trigger(workflow.id, await contact());
    const changed = await account.put(`/v2/workflows/${workflow.id}`, {
      steps: [
        { id: 'wait', type: 'delay', for: 'PT1H', next: 'new' },
        { id: 'new', type: 'add_tag', tag: 'new' },
      ],
    });
    assert.equal(changed.data.version, 2);
    const later = await trigger(workflow.id, await contact());
    pass(3_600_000);
    assert.deepEqual([(await ended(runId)).workflow_version, (await ended(later)).workflow_version], [1, 2]);
    const tags = [runId, later].map((id) =>
      performedFor(id).map((effect) => 'change' in effect && 'tag' in effect.change && effect.change.tag),
    );
    assert.deepEqual(tags, [['old'], ['new']]);
  });

  await t.test('does what its simulation predicted, for random workflows', async () => {
    play.rule = () => ({ known: true, matches: false });
    const definitions = fc
      .sample(arbitraryDefinition({ loops: false }), { numRuns: 40, seed: 7 })
      .filter(({ steps }) => steps.length > 2 && steps.every(({ type }) => type !== 'webhook'))
      .slice(0, 6);
    assert.equal(definitions.length, 6);
    for (const definition of definitions) {
      const workflow = await create(definition);
      const simulated = (await account.post(`/v2/workflows/${workflow.id}/simulate`)).data;
      const runId = await trigger(workflow.id, await contact());
      const run = await eventually(async () => {
        const now = await read(runId);
        if (now.waiting_for === 'time') pass(2 * 3_600_000);
        return now.ended_at !== null && now;
      });
      assert.deepEqual([run.state, run.reason, run.step_id], [simulated.state, simulated.reason, simulated.step_id]);
      const withoutMoments = (text: string) => text.replace(/\d{4}-\S+Z/, 'then');
      assert.deepEqual(
        run.log.map(({ text }: { text: string }) => withoutMoments(text)),
        simulated.log.map(({ text }: { text: string }) => withoutMoments(text)),
      );
      assert.equal(performedFor(runId).length, simulated.messages.length + simulated.changes.length);
    }
  });

  await t.test('workflows that trigger each other stop', async () => {
    const updating = (tag: string, other: string) => ({
      trigger: { type: 'contact_updated', fields: [`attributes.${tag}`] },
      entry: { policy: 'every_time' },
      steps: [{ id: 'set', type: 'update_contact', set: { attributes: { [other]: 'x' } } }],
    });
    const [ping, pong] = [await create(updating('ping', 'pong')), await create(updating('pong', 'ping'))];
    const id = newId('contact');
    let revision = 1;
    const update = (path: string, correlation?: string) => {
      revision += 1;
      return play.tell(
        ContactUpdated,
        account.accountId,
        { contact: contactOf({ id, email: 'p@example.com', revision }), changed: [path] },
        correlation ? { correlation_id: correlation } : {},
      );
    };
    const answered = new Set<string>();
    const settle = async () => {
      for (const effect of play.performed.values()) {
        if (effect.contact_id !== id || answered.has(effect.effect_key) || !('change' in effect) || effect.change.type !== 'update_contact')
          continue;
        answered.add(effect.effect_key);
        const correlation = await events.next(ContactEffectRequested, ({ data }) => data.effect_key === effect.effect_key);
        await update(`attributes.${Object.keys(Object(effect.change.members.attributes))[0]}`, correlation.correlation_id);
      }
    };
    await update('attributes.ping');
    const count = async () => (await runsOf(ping.id)).length + (await runsOf(pong.id)).length;
    await eventually(async () => {
      await settle();
      return (await count()) === 3 && answered.size === 3;
    });
    // An unrelated change is consumed after all of those: they have stopped.
    const witness = await create({ trigger: { type: 'contact_updated', fields: ['company'] }, steps: [{ id: 'end', type: 'exit' }] });
    await update('company');
    await eventually(async () => (await runsOf(witness.id)).length === 1);
    assert.equal(await count(), 3);
  });

  await t.test('any change of a contact starts a workflow with the trigger contact_updated, except `last_seen_at`', async () => {
    const workflow = await create({
      trigger: { type: 'contact_updated' },
      entry: { policy: 'every_time' },
      steps: [{ id: 'end', type: 'exit' }],
    });
    const id = newId('contact');
    const changes = async (revision: number, changed: string[]) => {
      const contact = contactOf({ id, email: 'seen@example.com', revision });
      await play.tell(ContactUpdated, account.accountId, { contact, changed });
    };
    const runs = async () => (await runsOf(workflow.id)).length;
    await changes(2, ['last_seen_at']);
    await changes(3, ['company']);
    await eventually(async () => (await runs()) === 1);
    await changes(4, ['last_seen_at', 'tags']);
    await eventually(async () => (await runs()) === 2);
    await changes(5, ['last_seen_at']);
    await changes(6, ['company']);
    await eventually(async () => (await runs()) === 3);
  });
});
