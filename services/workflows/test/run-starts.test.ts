import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageBounced, MessageClicked, MessageOpened } from '@mp/contracts/events/campaigns';
import { ContactUpdated } from '@mp/contracts/events/contacts';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { ContactEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { liveService } from './live-service.ts';
import { contactOf, mail } from './setting.ts';

const trackedAs = (event: string, contact_id: string) => ({
  ...{ event_id: newId('activity'), event, visitor_id: null, contact_id, time: new Date().toISOString() },
  ...{ properties: {}, value: null, bot: false },
});

test('what starts a run', async (t) => {
  const { account, clock, create, events, parts, play, runsOf } = await liveService(t);

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
      play.publish(EventTracked, account.accountId, {
        ...trackedAs('order_placed', contactId),
        ...{ time: clock().toISOString(), properties: { total: 12 } },
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

  await t.test('a tracked event that no workflow of its account starts with or waits for costs no transaction', async () => {
    const workflow = await create({
      trigger: { type: 'event', name: 'signed_up' },
      exit_when: [{ type: 'event', name: 'left' }],
      steps: [{ id: 'end', type: 'exit' }],
    });
    const inbox = parts.mongo.db.collection<{ _id: string }>('inbox');
    const contactId = newId('contact');
    const track = (event: string) => play.publish(EventTracked, account.accountId, trackedAs(event, contactId));
    const events = [await track('viewed'), await track('left'), await track('signed_up')];
    await eventually(async () => (await runsOf(workflow.id)).length === 1);
    const names = events.map(({ id }) => `workflows-activities ${id}`);
    const applied = await eventually(async () => {
      const rows = await inbox.find({ _id: { $in: names } }).toArray();
      return rows.length >= 2 && rows.map(({ _id }) => _id);
    });
    assert.deepEqual(applied.sort(), names.slice(1).sort());
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
      return play.publish(
        ContactUpdated,
        account.accountId,
        { contact: contactOf({ id, email: 'p@example.com', revision }), changed: [path] },
        correlation ? { correlation_id: correlation } : {},
      );
    };
    const replied = new Set<string>();
    const settle = async () => {
      for (const effect of play.performed.values()) {
        if (effect.contact_id !== id || replied.has(effect.effect_key) || !('change' in effect) || effect.change.type !== 'update_contact')
          continue;
        replied.add(effect.effect_key);
        const correlation = await events.next(ContactEffectRequested, ({ data }) => data.effect_key === effect.effect_key);
        await update(`attributes.${Object.keys(Object(effect.change.members.attributes))[0]}`, correlation.correlation_id);
      }
    };
    await update('attributes.ping');
    const count = async () => (await runsOf(ping.id)).length + (await runsOf(pong.id)).length;
    await eventually(async () => {
      await settle();
      return (await count()) === 3 && replied.size === 3;
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
      await play.publish(ContactUpdated, account.accountId, { contact, changed });
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

  await t.test(
    'an open, a click, a bounce or a refusal of an email starts the workflow of its trigger only, an automated one does not',
    async () => {
      const end = [{ id: 'end', type: 'exit' }];
      const clicked = await create({ trigger: { type: 'message_clicked', campaign_id: 'campaign_1' }, steps: end });
      const bounced = await create({ trigger: { type: 'message_bounced' }, steps: end });
      const refused = await create({ trigger: { type: 'message_refused' }, steps: end });
      const message = (contact_id: string, campaign_id = 'campaign_1') => ({
        ...{ recipient_id: 'recipient', contact_id, campaign_id, workflow_id: null, at: clock().toISOString() },
      });
      const url = 'https://example.com/offer';
      const id = newId('contact');
      await play.publish(MessageClicked, account.accountId, { ...message(newId('contact'), 'campaign_2'), url, machine: false });
      await play.publish(MessageClicked, account.accountId, { ...message(newId('contact')), url, machine: true });
      await play.publish(MessageOpened, account.accountId, { ...message(newId('contact')), machine: false });
      await play.publish(MessageClicked, account.accountId, { ...message(id), url, machine: false });
      await play.publish(MessageBounced, account.accountId, { ...message(id), hard: true, reason: 'No such user' });
      const full = newId('contact');
      await play.publish(MessageBounced, account.accountId, { ...message(full), hard: false, reason: 'Mailbox full' });
      for (const [workflow, contactId] of [
        [bounced, id],
        [refused, full],
      ] as const) {
        const started = await eventually(async () => {
          const found = await runsOf(workflow.id);
          return found.length > 0 && found;
        });
        assert.deepEqual(
          started.map(({ contact_id }: { contact_id: string }) => contact_id),
          [contactId],
        );
      }
      const runs = await eventually(async () => {
        const found = await runsOf(clicked.id);
        return found.length > 0 && found;
      });
      assert.deepEqual([runs.length, runs[0].contact_id, runs[0].data.url], [1, id, url]);
    },
  );

  await t.test('with `entry.key`, a contact is in the workflow once per value of the data', async () => {
    const workflow = await create({
      trigger: { type: 'event', name: 'shipped' },
      entry: { policy: 'after_exit', key: 'data.properties.order_id' },
      steps: [{ id: 'wait', type: 'delay', for: 'P1D' }],
    });
    const contactId = newId('contact');
    const ship = (order_id: string) =>
      play.publish(EventTracked, account.accountId, {
        ...{ event_id: newId('activity'), event: 'shipped', visitor_id: null, contact_id: contactId, time: clock().toISOString() },
        ...{ properties: { order_id }, value: null, bot: false },
      });
    for (const order of ['1', '1', '2', '1', '2']) await ship(order);
    await ship('3');
    const orders = await eventually(async () => {
      const found = (await runsOf(workflow.id)).map(({ data }: { data: { properties: { order_id: string } } }) => data.properties.order_id);
      return found.length === 3 && found.sort();
    });
    assert.deepEqual(orders, ['1', '2', '3']);
    const [first] = (await runsOf(workflow.id)).filter(
      ({ data }: { data: { properties: { order_id: string } } }) => data.properties.order_id === '1',
    );
    await account.post(`/v2/workflows/runs/${first.id}/cancel`);
    await ship('1');
    await eventually(async () => (await runsOf(workflow.id)).length === 4);
  });
});
