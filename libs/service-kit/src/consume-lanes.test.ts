import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventEnvelope } from '@mp/contracts/event';
import { ContactDeleted, ContactEffectCompleted } from '@mp/contracts/events/contacts';
import { type Lane, subjectIn } from '@mp/contracts/lanes';
import { streams } from '@mp/contracts/streams';
import { type AccountId, newId } from '@mp/ids';
import { anEvent } from '@mp/test-kit/an-event';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { createConsumer, on } from './consume.ts';

async function setting(t: test.TestContext) {
  const parts = await testParts(t, 'contacts');
  const { broker, mongo, outbox } = parts;
  broker.start();
  await broker.ensureStream(streams.contacts);
  await mongo.db.createCollection('effects');
  const effects = mongo.db.collection<{ _id: string }>('effects');
  const order: EventEnvelope[] = [];
  const name = `lanes-${mongo.db.databaseName}`;
  const consumer = createConsumer(
    { ...parts, consumerConcurrency: 2 },
    {
      ...{ name, stream: streams.contacts, filter: 'contacts.contact.>' },
      handlers: [
        on(ContactDeleted, async (tx, event) => {
          await effects.insertOne({ _id: event.id }, { session: tx.session });
          await outbox.add(tx, ContactDeleted, event.account_id, event.data);
          order.push(event);
        }),
      ],
    },
  );
  const publish = async (lane: Lane, accountId: AccountId = newId('account'), envelope: Partial<EventEnvelope> = {}) => {
    const event = { ...anEvent(ContactDeleted, accountId, { contact_id: newId('contact'), revision: 2 }), ...envelope };
    await broker.publish(subjectIn(lane, ContactDeleted.subject), JSON.stringify(event), event.id);
    return event;
  };
  return { ...parts, name, consumer, publish, effects, order };
}

test('the lanes of a stream', async (t) => {
  await t.test('an event of the live lane does not wait behind a backlog of the bulk lane, which moves on too', async (t) => {
    const { consumer, publish, order } = await setting(t);
    const backlog = await Promise.all(Array.from({ length: 100 }, () => publish('bulk')));
    consumer.start();
    await eventually(async () => order.length > 0);
    const live = await Promise.all(Array.from({ length: 10 }, () => publish('live')));
    const ids = new Set(live.map(({ id }) => id));
    await eventually(async () => order.filter(({ id }) => ids.has(id)).length === live.length);
    assert.ok(order.length < backlog.length, `${order.length - live.length} of the backlog came first`);
    await eventually(async () => order.length === backlog.length + live.length);
    await consumer.stop();
  });

  await t.test('what an event of the bulk lane causes stays in it', async (t) => {
    const { consumer, publish, order, mongo } = await setting(t);
    consumer.start();
    const [live, bulk] = [await publish('live'), await publish('bulk')];
    await eventually(async () => [live, bulk].every(({ id }) => order.some((applied) => applied.id === id)));
    await consumer.stop();
    const rows = await mongo.db.collection<{ lane?: string; events: { envelope: string }[] }>('outbox').find().toArray();
    const lanes = new Map(rows.flatMap(({ lane, events }) => events.map(({ envelope }) => [JSON.parse(envelope).causation_id, lane])));
    assert.deepEqual([lanes.get(live.id), lanes.get(bulk.id)], [undefined, 'bulk']);
  });

  await t.test('it stays there through an event that has no bulk lane', async (t) => {
    const { mongo, outbox, consumer, publish, order } = await setting(t);
    const accountId = newId('account');
    const result = { effect_key: 'run:1', run_id: newId('run'), status: 'done', reason: null, revision: 2 } as const;
    const origin = { correlationId: newId('request'), causationId: null, lane: 'bulk' } as const;
    await mongo.transaction(origin, (tx) => outbox.add(tx, ContactEffectCompleted, accountId, result));
    const [effect] = await writtenEvents(mongo.db, { accountId });
    assert.equal(effect?.envelope.lane, 'bulk');
    consumer.start();
    const { id } = await publish('live', accountId, { lane: effect?.envelope.lane });
    await eventually(async () => order.some((applied) => applied.id === id));
    await consumer.stop();
    const [event] = await writtenEvents(mongo.db, { accountId, subject: ContactDeleted.subject });
    const row = await mongo.db.collection<{ lane?: string }>('outbox').findOne({ 'events.id': event?.id });
    assert.equal(row?.lane, 'bulk');
    assert.deepEqual([event?.envelope.causation_id, event?.envelope.lane], [id, undefined], 'its subject names the lane');
  });

  await t.test('the consumer of an earlier version keeps its place: its backlog is applied once, then both lanes', async (t) => {
    const { consumer, publish, effects, broker, name } = await setting(t);
    const { manager, publisher } = await broker.connected();
    const early = [await publish('live'), await publish('live'), await publish('live')];
    await manager.consumers.add(broker.streamOf(streams.contacts.name), {
      durable_name: name,
      filter_subject: broker.subjectOf('contacts.contact.>'),
      ack_policy: 'explicit',
      ack_wait: 1_000_000_000,
      max_ack_pending: -1,
      max_deliver: -1,
    });
    const earlier = await publisher.consumers.get(broker.streamOf(streams.contacts.name), name);
    const held = await earlier.next();
    assert.ok(held, 'one event is in the hands of the earlier version when it stops');
    consumer.start();
    const later = [await publish('bulk'), await publish('live')];
    await eventually(async () => (await effects.countDocuments({ _id: { $in: [...early, ...later].map(({ id }) => id) } })) === 5);
    const { config } = await manager.consumers.info(broker.streamOf(streams.contacts.name), name);
    assert.equal(config.filter_subject, broker.subjectOf('contacts.contact.*.*'));
    await consumer.stop();
  });
});
