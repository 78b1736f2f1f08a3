import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventAttributed, EventBackfilled, EventTracked, VisitorIdentified } from '@mp/contracts/events/leadpulse';
import { type AccountId, newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { countCommands } from '@mp/test-kit/count-commands';
import { testParts } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import fc from 'fast-check';
import type { Document } from 'mongodb';
import { countEvents, testCounting } from '../../test/counting.ts';
import { readCounted } from '../../test/recount.ts';
import { isRejection, newEvent } from '../events/event.ts';
import type { NewEvent } from '../events/event-document.ts';
import { attributeEvents } from '../identities/attribute-events.ts';
import { createBatchSizes, maxBatch } from './batch-sizes.ts';

const start = Date.now() - 20 * 86_400_000;

async function setting(t: test.TestContext) {
  const parts = await testParts(t, 'leadpulse', { monitorCommands: true });
  const counting = testCounting(parts);
  const { events, visitors, sessions, rollups, visitorDays, identities } = counting;
  for (const store of [events, visitors, sessions, rollups, visitorDays, identities]) await store.prepare();
  return { db: parts.mongo.db, mongo: parts.mongo, counting };
}
type Setting = Awaited<ReturnType<typeof setting>>;

function eventOf(accountId: AccountId, body: Parameters<typeof newEvent>[1]): NewEvent {
  const event = newEvent(accountId, body, { now: new Date() });
  if (isRejection(event)) throw new Error(event.message);
  return { event };
}

const origin = { correlationId: 'test', causationId: null };

async function countAll({ counting }: Setting, accountId: AccountId, limits: readonly number[]) {
  for (let round = 0; (await countEvents(counting, accountId, limits[round % limits.length])) > 0; round += 1);
  for (let next = await counting.visitors.nextAttributing(); next; next = await counting.visitors.nextAttributing())
    await attributeEvents(counting, next.account_id, next.id);
}

/** All that was counted for an account and published, with the keys of visitors in place of their IDs. */
async function stateOf({ db }: Setting, accountId: AccountId) {
  const account = { account_id: accountId };
  const { found } = await readCounted(db, accountId);
  const visitors = await db.collection<Document & { _id: string }>('visitors').find(account).toArray();
  const events = await db.collection<Document>('events').find(account).sort({ _id: 1 }).toArray();
  const published = (await writtenEvents(db, { accountId })).map(({ subject, envelope }) => ({ subject, data: envelope.data }));
  const publishedOf = (...of: { subject: string }[]) => published.filter(({ subject }) => of.some((one) => one.subject === subject));
  // An event that is counted before its visitor is identified is published without a contact, and again with it.
  const contactOf = new Map<string, string>();
  for (const { data } of publishedOf(EventTracked, EventBackfilled, EventAttributed))
    if (data.contact_id !== null) contactOf.set(data.event_id, data.contact_id);
  const first = publishedOf(EventTracked).map(({ data: { contact_id, ...data } }) => data);
  const state = {
    ...found,
    rows: visitors.map(({ _id, latest_session, attributing_at, event_names, claims, ...row }) => ({
      ...row,
      ...{ latest_session: { ...latest_session, id: null }, event_names: event_names.toSorted(), claims: claims.toSorted() },
    })),
    events,
    tracked: first.sort((a, b) => (a.event_id < b.event_id ? -1 : 1)),
    contacts: [...contactOf].sort(),
    identified: publishedOf(VisitorIdentified).map(({ data: { visitor_id, contact_id } }) => [visitor_id, contact_id]),
  };
  const named = visitors.reduce((text, { _id, key }) => text.replaceAll(_id, String(key)), JSON.stringify(state));
  const sorted = (value: object) =>
    Object.entries(value)
      .map((entry) => JSON.stringify(entry))
      .sort();
  return Object.entries<object>(JSON.parse(named)).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : sorted(value),
  ]);
}

test('batches of events', async (t) => {
  const [one, all] = [await setting(t), await setting(t)];

  await t.test('of any size count, attribute and publish the same as one event at a time', async () => {
    const anyEvent = fc.record({
      person: fc.nat(3),
      known: fc.constantFrom('contact_id', 'external_id', 'email', null),
      hasVisitor: fc.boolean(),
      minute: fc.oneof(fc.integer({ min: 0, max: 180 }), fc.integer({ min: 1_400, max: 1_500 })),
      name: fc.constantFrom('$pageview', 'signup'),
      path: fc.constantFrom('/', '/pricing', null),
      bot: fc.boolean(),
      amount: fc.constantFrom(null, 10.25),
      backfill: fc.boolean(),
      isRepeated: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyEvent, { minLength: 2, maxLength: 40 }),
        fc.array(fc.integer({ min: 2, max: 30 }), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (drawn, limits, isMerged) => {
          const accountId = newId('account');
          // The first two people are contacts, and the second may have been merged into the first.
          const people = Array.from({ length: 4 }, (_, number) => {
            const id = newId('contact');
            return aContact({ id, revision: 1, email: `${id}@example.com`, external_id: `p${number}` });
          });
          const [survivor, merged] = people;
          const events = drawn.flatMap(({ person, known, hasVisitor, minute, name, path, bot, amount, backfill, isRepeated }, index) => {
            const contact = people[person];
            const claim = contact && { contact_id: contact.id, external_id: contact.external_id, email: contact.email };
            const event = {
              ...{ event: name, message_id: `m${index}`, backfill, timestamp: new Date(start + minute * 60_000).toISOString() },
              // The last person is always anonymous.
              ...((hasVisitor || known === null || person === 3) && { visitor_id: `v${person}` }),
              ...(known !== null && person !== 3 && claim && { [known]: claim[known] }),
              context: {
                page: path === null ? undefined : { url: `https://example.com${path}` },
                user_agent: bot ? 'Googlebot/2.1' : 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
              },
              ...(amount !== null && { value: { amount, currency: 'EUR' } }),
            };
            return Array.from({ length: isRepeated ? 2 : 1 }, () => eventOf(accountId, event));
          });
          for (const { counting } of [one, all]) {
            const { identities } = counting;
            await counting.mongo.transaction(origin, async (tx) => {
              await identities.learn(
                tx,
                people.slice(0, 2).map((contact) => ({ accountId, contact })),
              );
              if (isMerged && merged && survivor)
                await identities.tombstone(tx, accountId, { contactId: merged.id, revision: 2, mergedInto: survivor.id });
            });
            await counting.events.insert(events);
          }
          await countAll(one, accountId, [1]);
          await countAll(all, accountId, limits);
          assert.deepEqual(await stateOf(all, accountId), await stateOf(one, accountId));
        },
      ),
      { numRuns: 20 },
    );
  });

  await t.test('of 1,000 tracked events of known contacts take 1 commit, at most 20 commands and 1.5 written documents each', async () => {
    const accountId = newId('account');
    const people = Array.from({ length: 100 }, (_, number) => aContact({ id: newId('contact'), revision: 1, external_id: `p${number}` }));
    await all.counting.mongo.transaction(origin, (tx) =>
      all.counting.identities.learn(
        tx,
        people.map((contact) => ({ accountId, contact })),
      ),
    );
    for (const round of ['first', 'later']) {
      const events = Array.from({ length: 1_000 }, (_, index) =>
        eventOf(accountId, { event: `seen ${round}`, visitor_id: `v${index % 100}`, external_id: `p${index % 100}` }),
      );
      await all.counting.events.insert(events);
      let counted = 0;
      const sent = await countCommands(all.mongo, async () => {
        counted = await countEvents(all.counting, accountId);
      });
      t.diagnostic(`${round}: ${JSON.stringify(sent)}`);
      assert.equal(counted, 1_000);
      assert.equal(sent.commits, 1);
      assert.ok(sent.commands <= 20 && sent.documents <= 1_500, JSON.stringify(sent));
    }
  });
});

test('batches grow while an account is behind and counting is quick, and are halved by a failure', () => {
  const sizes = createBatchSizes();
  const [busy, other] = [newId('account'), newId('account')];
  const usual = sizes.of(other);
  for (let round = 0; round < 10; round += 1) sizes.counted(busy, sizes.of(busy), 100);
  assert.equal(sizes.of(busy), maxBatch);
  assert.equal(sizes.of(other), usual);
  sizes.counted(busy, maxBatch, 4_000);
  assert.equal(sizes.of(busy), usual, 'a slow machine counts the usual number at once');
  sizes.failed(busy, 300);
  assert.equal(sizes.of(busy), 150);
  sizes.failed(busy, 1);
  assert.equal(sizes.of(busy), 1);
  for (let round = 0; round < 30; round += 1) sizes.counted(busy, sizes.of(busy), 1);
  assert.equal(sizes.of(busy), maxBatch);
  sizes.counted(busy, 3, 1);
  assert.equal(sizes.of(busy), usual, 'an account that is not behind starts again');
});
