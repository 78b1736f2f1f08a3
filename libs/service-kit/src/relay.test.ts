import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineEvent } from '@mp/contracts/event';
import { AccountChanged } from '@mp/contracts/events/platform';
import { type AccountId, newId, trustedId } from '@mp/ids';
import { countCommands } from '@mp/test-kit/count-commands';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { writtenEvents } from '@mp/test-kit/written-events';
import { createBroker } from './broker.ts';
import { createRelay } from './relay.ts';

/** Each of these events has personal data of the contact with this id. */
const Happened = defineEvent({
  type: AccountChanged.type,
  version: 1,
  meaning: 'Of somebody.',
  data: AccountChanged.data,
  subjectsOf: ({ account_id }) => [account_id],
});
const origin = { correlationId: 'req_12345678', causationId: null };

test('the outbox and its relay', async (t) => {
  const parts = await testParts(t, 'kit');
  const { outbox, mongo, relay } = parts;
  const write = (account_id: AccountId) => mongo.transaction(origin, (tx) => outbox.add(tx, AccountChanged, account_id, { account_id }));
  const events = await listenToEvents(t);

  await t.test('an event of a transaction that is rolled back is never published', async () => {
    await assert.rejects(
      mongo.transaction(origin, async (tx) => {
        await outbox.add(tx, AccountChanged, trustedId<'account'>('account_gone'), { account_id: 'account_gone' });
        throw new Error('no');
      }),
    );
    assert.equal(await outbox.pendingCount(), 0);
  });

  await t.test('publishes events that were written while no relay ran, with their envelopes', async () => {
    const account = newId('account');
    await write(account);
    assert.equal(await outbox.pendingCount(), 1);
    parts.broker.start();
    relay.start();
    const event = await events.next(AccountChanged, ({ account_id }) => account_id === account);
    assert.deepEqual(
      [event.correlation_id, event.producer, event.type, event.version],
      ['req_12345678', 'kit', 'platform.account.changed', 1],
    );
    await eventually(async () => (await outbox.pendingCount()) === 0);
  });

  await t.test('events of one transaction share rows, keep their order, and are erased one by one', async () => {
    const account = newId('account');
    const people = Array.from({ length: 120 }, (_, index) => `person ${index}`);
    const rows = () => mongo.db.collection('outbox').countDocuments({ 'events.account_id': account });
    const published = async () => (await writtenEvents(mongo.db, { accountId: account })).map(({ envelope }) => envelope.data.account_id);
    await mongo.transaction(origin, (tx) =>
      outbox.addMany(
        tx,
        Happened,
        account,
        people.map((account_id) => ({ account_id })),
      ),
    );
    assert.equal(await rows(), 3);
    await eventually(async () => (await outbox.pendingCount()) === 0);
    assert.deepEqual(await published(), people);
    const gone = ['person 7', ...people.slice(100)];
    assert.equal(await outbox.erase(account, gone), 21);
    assert.deepEqual([await published(), await rows()], [people.filter((person) => !gone.includes(person)), 2]);
  });

  await t.test('spreads large events of one transaction over several rows', async () => {
    const account = newId('account');
    const large = Array.from({ length: 5 }, () => ({ account_id: 'x'.repeat(400_000) }));
    await mongo.transaction(origin, (tx) => outbox.addMany(tx, Happened, account, large));
    assert.equal(await mongo.db.collection('outbox').countDocuments({ 'events.account_id': account }), 3);
    await eventually(async () => (await outbox.pendingCount()) === 0);
  });

  await t.test('two relays and a republish store each event in the stream once', async () => {
    const second = createRelay(parts);
    second.start();
    const accounts = Array.from({ length: 30 }, () => newId('account'));
    const { manager } = await parts.broker.connected();
    const before = (await manager.streams.info(parts.broker.streamOf('PLATFORM'))).state.messages;
    await Promise.all(accounts.map(write));
    await eventually(async () => (await outbox.pendingCount()) === 0);
    await outbox.republish(new Date(0));
    await eventually(async () => (await outbox.pendingCount()) === 0);
    await second.stop();
    assert.equal((await manager.streams.info(parts.broker.streamOf('PLATFORM'))).state.messages - before, accounts.length);
  });

  await t.test('erases the pending and published events of a contact, reading only the published events of its account', async () => {
    const { db } = mongo;
    const [account, other] = [newId('account'), newId('account')];
    const write = (id: string) =>
      mongo.transaction(origin, (tx) => outbox.add(tx, Happened, trustedId<'account'>(id), { account_id: 'ada' }));
    for (const id of [account, account, other]) await write(id);
    await eventually(async () => (await outbox.pendingCount()) === 0);
    await relay.stop();
    await write(account);
    const ofAccount = async (accountId: AccountId) => (await writtenEvents(db, { accountId })).length;
    await db.command({ profile: 2 });
    assert.equal(await outbox.erase(account, ['ada', 'bo']), 3);
    await db.command({ profile: 0 });
    const runs = await db
      .collection('system.profile')
      .find({ ns: `${db.databaseName}.outbox`, op: 'query', planSummary: { $ne: 'IXSCAN { _id: 1 }' } })
      .toArray();
    await db.collection('system.profile').drop();
    assert.deepEqual(
      runs.map(({ planSummary, docsExamined }) => [planSummary, docsExamined]),
      [
        ['IXSCAN { pending: 1, account_id: 1, _id: 1 }', 1],
        ['IXSCAN { events.account_id: 1 }', 2],
      ],
    );
    assert.deepEqual([await ofAccount(account), await ofAccount(other)], [0, 1]);
  });

  await t.test('rejects an event that is too large for NATS when it is written', async () => {
    await assert.rejects(
      mongo.transaction(origin, (tx) =>
        outbox.add(tx, AccountChanged, trustedId<'account'>('account_1'), { account_id: 'x'.repeat(1_000_000) }),
      ),
      /the maximum is/,
    );
  });

  await t.test('stops without waiting for a NATS that never responded', async () => {
    const broker = createBroker({ url: 'nats://127.0.0.1:1', service: 'kit', logger: parts.logger });
    const waiting = createRelay({ ...parts, broker });
    broker.start();
    waiting.start();
    await waiting.stop();
    await broker.stop();
  });

  await relay.stop();
});

test('what an account writes beyond 1,000 events at once takes the bulk lane, and live events of others are read before it', async (t) => {
  const { outbox, mongo } = await testParts(t, 'kit');
  const [loud, quiet] = [newId('account'), newId('account')];
  const write = (account: AccountId, count: number) =>
    mongo.transaction(origin, (tx) =>
      outbox.addMany(
        tx,
        AccountChanged,
        account,
        Array.from({ length: count }, () => ({ account_id: account })),
      ),
    );
  await write(loud, 1_500);
  await write(quiet, 1);
  const accountsIn = async (lane: 'live' | 'bulk') =>
    (await outbox.pending(lane, 10_000)).flatMap(({ events }) => events.map(({ account_id }) => account_id));
  const [live, bulk] = [await accountsIn('live'), await accountsIn('bulk')];
  assert.deepEqual([live.length, live.at(-1)], [1_001, quiet]);
  assert.deepEqual([bulk.length, new Set(bulk)], [500, new Set([loud])]);
});

test('publishing 500 events of a hundred accounts, and recording how far each account is, costs a few commands', async (t) => {
  // A service with a stream, whose losses are watched.
  const { outbox, mongo, broker, relay } = await testParts(t, 'gateway', { monitorCommands: true });
  broker.start();
  await broker.connected();
  const accounts = Array.from({ length: 100 }, () => newId('account'));
  await mongo.transaction(origin, async (tx) => {
    for (const account of accounts)
      await outbox.addMany(
        tx,
        AccountChanged,
        account,
        Array.from({ length: 5 }, () => ({ account_id: account })),
      );
  });
  // It publishes what is pending before it stops.
  const sent = await countCommands(mongo, () => relay.stop());
  assert.equal(await outbox.pendingCount(), 0);
  assert.equal(await mongo.db.collection('account_positions').countDocuments(), accounts.length);
  t.diagnostic(JSON.stringify(sent));
  assert.ok(sent.commands <= 14 && sent.documents <= 205, JSON.stringify(sent));
});

test('events that are published again take the bulk lane, and leave the live lane to new ones', async (t) => {
  const { outbox, mongo } = await testParts(t, 'kit');
  const [early, late] = [newId('account'), newId('account')];
  const write = (account: AccountId) => mongo.transaction(origin, (tx) => outbox.add(tx, AccountChanged, account, { account_id: account }));
  const accountsIn = async (lane: 'live' | 'bulk') =>
    (await outbox.pending(lane, 100)).flatMap(({ events }) => events.map(({ account_id }) => account_id));
  await write(early);
  await outbox.markPublished((await outbox.pending('live', 100)).map(({ _id }) => _id));
  await write(late);
  assert.equal(await outbox.republish(new Date(0)), 1);
  assert.deepEqual([await accountsIn('live'), await accountsIn('bulk')], [[late], [early]]);
});
