import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactDeleted, SuppressionRemoved } from '@mp/contracts/events/contacts';
import { type KnownPositions, positionRequests } from '@mp/contracts/requests/positions';
import { positionsOf, requestPositions } from '@mp/contracts/requests/request-positions';
import { streams } from '@mp/contracts/streams';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { createOutbox } from './outbox.ts';
import { createRelay } from './relay.ts';
import { createPositionOf, replyWithPosition } from './reply-position.ts';

const account = newId('account');

test('the position of a publisher', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { broker, outbox, relay, mongo } = parts;
  broker.start();
  await broker.ensureStream(streams.contacts);
  const held = { mark: 'first', reached: true };
  const before = { mark: async () => held.mark, reached: async (_: unknown, mark: string) => held.reached || mark !== 'first' };
  await replyWithPosition(parts, positionRequests.contacts, streams.contacts, [before])();

  const send = (known: KnownPositions = {}) =>
    requestPositions((type, request) => broker.request(type, request), account, ['contacts'], known);
  const requestOf = (accountId: typeof account) =>
    requestPositions((type, request) => broker.request(type, request), accountId, ['contacts']);
  const write = () =>
    mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
      outbox.add(tx, ContactDeleted, account, { contact_id: newId('contact'), revision: 2 }),
    );

  await t.test('is the end of its stream when nothing is pending', async () => {
    const known = await send();
    assert.deepEqual(positionsOf(['contacts'], known), [await broker.position(streams.contacts)]);
    assert.deepEqual(await send(known), known, 'and is not asked for again');
  });

  await t.test('is known once everything confirmed before the request is in the stream; later changes do not delay it', async () => {
    await write();
    const { sequence } = await broker.position(streams.contacts);
    const waiting = await send();
    assert.equal(positionsOf(['contacts'], waiting), undefined);
    relay.start();
    await eventually(async () => (await outbox.oldestPending(account)) === undefined);
    await relay.stop();
    await write();
    const [position] = positionsOf(['contacts'], await send(waiting)) ?? [];
    assert.equal(position?.sequence, sequence + 1);
    assert.equal(positionsOf(['contacts'], await send()), undefined, 'a new request waits for the later one');
    await outbox.pending('live', 1).then((rows) => outbox.markPublished(rows.map(({ _id }) => _id)));
  });

  await t.test("is that of the account's own events, however many others publish, and names its lane", async () => {
    const [own, other] = [newId('account'), newId('account')];
    const publish = (accountId: typeof own, count: number, lane: 'live' | 'bulk' = 'live') =>
      mongo.transaction({ correlationId: 'test', causationId: null, lane }, (tx) =>
        outbox.addMany(
          tx,
          ContactDeleted,
          accountId,
          Array.from({ length: count }, () => ({ contact_id: newId('contact'), revision: 2 })),
        ),
      );
    const { sequence: end } = await broker.position(streams.contacts);
    await publish(own, 2);
    const relay = createRelay(parts);
    relay.start();
    await eventually(async () => (await outbox.oldestPending(own)) === undefined);
    await publish(other, 30, 'bulk');
    await eventually(async () => (await outbox.oldestPending(other)) === undefined);
    await relay.stop();
    await mongo.transaction({ correlationId: 'test', causationId: null, lane: 'bulk' }, (tx) =>
      outbox.add(tx, ContactDeleted, other, { contact_id: newId('contact'), revision: 2 }),
    );
    const positionOf = async (accountId: typeof own) => (await requestOf(accountId)).contacts?.position;
    const position = await positionOf(own);
    assert.deepEqual([position?.sequence, position?.bulk], [end + 2, undefined]);
    assert.equal(await positionOf(other), null, 'the other account has rows in its outbox');
    const later = createRelay(parts);
    later.start();
    await eventually(async () => (await outbox.oldestPending(other)) === undefined);
    await later.stop();
    assert.equal((await positionOf(other))?.bulk, end + 2 + 31);
  });

  await t.test('is in the live lane for an event that has no other, whatever else its row holds', async () => {
    const own = newId('account');
    await mongo.transaction({ correlationId: 'test', causationId: null, lane: 'bulk' }, (tx) =>
      outbox.add(tx, SuppressionRemoved, own, {
        ...{ suppression_id: 'suppression', kind: 'domain', value: 'example.com', hash: 'hash', reason: 'manual' },
        at: new Date().toISOString(),
      }),
    );
    const relay = createRelay(parts);
    relay.start();
    await eventually(async () => (await outbox.oldestPending(own)) === undefined);
    await relay.stop();
    const { sequence } = await broker.position(streams.contacts);
    const { position } = (await requestOf(own)).contacts ?? {};
    assert.deepEqual([position?.sequence, position?.bulk], [sequence, undefined]);
  });

  await t.test('is the end of the live lane while replicas of 0.1.0 may publish, which record no positions', async (t) => {
    const own = newId('account');
    const publish = async (record: boolean) => {
      await mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
        outbox.add(tx, ContactDeleted, own, { contact_id: newId('contact'), revision: 2 }),
      );
      const relay = createRelay(record ? parts : { ...parts, streamWatch: undefined, positions: undefined });
      relay.start();
      await eventually(async () => (await outbox.oldestPending(own)) === undefined);
      await relay.stop();
    };
    await mongo.db.collection('outbox').createIndex({ pending: 1, _id: 1 }, { name: 'pending' });
    t.after(() => mongo.db.collection('outbox').dropIndex('pending'));
    const upgraded = { ...parts, outbox: createOutbox(mongo.db, 'contacts') };
    await publish(true);
    await publish(false);
    const { position } = await createPositionOf(upgraded, streams.contacts)({ account_id: own, mark: null, after: [] });
    assert.equal(position?.sequence, (await broker.position(streams.contacts)).sequence);
  });

  await t.test('passes the stages in order and resumes from the mark of the caller', async () => {
    held.reached = false;
    const first = await send();
    assert.equal(first.contacts?.mark, '0 first');
    held.mark = 'second';
    assert.equal((await send(first)).contacts?.mark, '0 first', 'the mark of the first request');
    assert.notEqual(positionsOf(['contacts'], await send()), undefined, 'a new request has another mark');
  });
});
