import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactsAccountErased } from '@mp/contracts/events/contacts';
import { AccountChanged, AccountErased } from '@mp/contracts/events/platform';
import { streams } from '@mp/contracts/streams';
import { type AccountId, newId } from '@mp/ids';
import { createConsumer, on } from '@mp/service-kit/consume';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { createAccountErasure } from './account-erasure.ts';

type Row = { _id: string; account_id?: AccountId };

test('the erasure of an account', async (t) => {
  const parts = await testParts(t, 'kit');
  const { db } = parts.mongo;
  const [gone, neighbour] = [newId('account'), newId('account')];
  const origin = { correlationId: 'test', causationId: null };
  const contacts = db.collection<Row>('contacts');
  const counters = db.collection<Row>('counters');
  const fill = async () => {
    await contacts.insertMany(
      [gone, neighbour].flatMap((account_id) => Array.from({ length: 700 }, () => ({ _id: newId('contact'), account_id }))),
    );
    await counters.insertMany([{ _id: gone }, { _id: neighbour }]).catch(() => undefined);
  };
  await fill();
  // Written before, and published after the account is erased.
  await parts.mongo.transaction(origin, (tx) => parts.outbox.add(tx, AccountChanged, gone, { account_id: gone }));

  const applied: string[] = [];
  const erasure = createAccountErasure(parts, ContactsAccountErased, 0);
  const other = createConsumer(parts, {
    name: 'other',
    stream: streams.platform,
    filter: AccountChanged.subject,
    handlers: [on(AccountChanged, async (_, { account_id }) => void applied.push(account_id))],
  });
  const running = [erasure.background, parts.erasedAccounts];
  const consumers = [erasure.consumer, other];
  t.after(async () => {
    await Promise.all([...running, ...consumers].map((one) => one.stop()));
    await parts.relay.stop();
  });
  parts.broker.start();
  for (const one of [...running, erasure.consumer]) one.start();
  const publish = (event: typeof AccountErased | typeof AccountChanged, account_id: AccountId) =>
    parts.mongo.transaction(origin, (tx) => parts.outbox.add(tx, event, account_id, { account_id }));
  const receipt = () => db.collection<{ _id: string; due_at: Date | null; removed: object }>('account_erasures').findOne({ _id: gone });
  const confirmations = async () => (await writtenEvents(db, { subject: ContactsAccountErased.subject })).length;
  const finished = () => eventually(async () => (await receipt())?.due_at === null);

  await t.test('removes its documents from every collection and its events from the outbox, and keeps those of others', async () => {
    await publish(AccountErased, gone);
    parts.relay.start();
    await finished();
    assert.deepEqual((await receipt())?.removed, { contacts: 700, counters: 1 });
    assert.deepEqual([await contacts.countDocuments(), await counters.countDocuments()], [700, 1]);
    const text = JSON.stringify(await db.collection('outbox').find().toArray());
    assert.ok(!text.includes(gone), 'not even the confirmation stays once it is published');
  });

  await t.test('makes consumers skip the events of the account', async () => {
    await eventually(async () => parts.erasedAccounts.has(gone));
    await publish(AccountChanged, gone);
    await publish(AccountChanged, neighbour);
    other.start();
    await eventually(async () => applied.includes(neighbour) && (await other.lag()) === 0);
    assert.ok(!applied.includes(gone));
  });

  await t.test('is repeated and confirmed again when it is requested again', async () => {
    await fill();
    const confirmed: Record<string, number>[] = [];
    await parts.broker.connected();
    await parts.broker.ensureStream(streams.contacts);
    const listener = createConsumer(
      { mongo: parts.mongo, broker: parts.broker, logger: parts.logger },
      {
        name: 'listener',
        stream: streams.contacts,
        filter: ContactsAccountErased.subject,
        handlers: [on(ContactsAccountErased, async (_, { data }) => void confirmed.push(data.removed))],
      },
    );
    listener.start();
    t.after(() => listener.stop());
    await publish(AccountErased, gone);
    await eventually(async () => confirmed.some(({ contacts, counters }) => contacts === 1400 && counters === 2));
    await finished();
    assert.deepEqual([await contacts.countDocuments({ account_id: gone }), await confirmations()], [0, 0]);
  });
});
