import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventEnvelope } from '@mp/contracts/event';
import { ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import { VisitorIdentified } from '@mp/contracts/events/leadpulse';
import { type AccountId, type ContactId, newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { accountState } from '@mp/test-kit/account-state';
import { anEvent } from '@mp/test-kit/an-event';
import { applyEvents } from '@mp/test-kit/apply-events';
import { countCommands } from '@mp/test-kit/count-commands';
import { testParts } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import fc from 'fast-check';
import { createVisitorsStore } from '../visitors/visitors-store.ts';
import { createIdentitiesStore } from './identities-store.ts';
import { onContactChanged } from './on-contact-changed.ts';
import { onContactDeleted } from './on-contact-deleted.ts';

async function setting(t: test.TestContext) {
  const parts = await testParts(t, 'leadpulse', { monitorCommands: true });
  const { mongo, outbox, cursors } = parts;
  const [identities, visitors] = [createIdentitiesStore(mongo.db), createVisitorsStore(mongo.db, cursors)];
  for (const store of [identities, visitors]) await store.prepare();
  return {
    mongo,
    identities,
    handlers: [...onContactChanged({ identities, visitors, outbox }), onContactDeleted({ identities, onGone: async () => undefined })],
  };
}

/** A visitor with claims, as far as identification reads it. */
const visitorOf = (accountId: AccountId, claims: readonly string[], contactId: ContactId | null = null) => {
  const _id = newId('visitor');
  return { _id, account_id: accountId, key: _id, claims: [...claims], contact_id: contactId, identified: contactId !== null };
};

test('events of contacts', async (t) => {
  const [one, all] = [await setting(t), await setting(t)];
  type Rows = readonly ReturnType<typeof visitorOf>[];
  const insert = ({ mongo }: typeof one, rows: Rows) => mongo.db.collection<Rows[number]>('visitors').insertMany([...rows]);

  await t.test('identify the same visitors in any grouping', async () => {
    const happeningOf = (...kinds: ('created' | 'updated' | 'deleted' | 'merged' | 'discarded')[]) =>
      fc.record({
        account: fc.nat(1),
        contact: fc.nat(3),
        kind: fc.constantFrom(...kinds),
        revision: fc.integer({ min: 1, max: 8 }),
        email: fc.constantFrom('a', 'b', null),
        externalId: fc.constantFrom('x', null),
        isRedelivered: fc.boolean(),
      });
    const changes = fc.array(happeningOf('created', 'updated'), { minLength: 3, maxLength: 20 });
    const deletions = fc.array(happeningOf('deleted', 'merged', 'discarded'), { maxLength: 3 });
    // Deletions take effect alone. A visitor whose contact is deleted first is not identified.
    const history = fc.array(fc.oneof(changes, deletions), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 2, max: 40 }), async (history, maxEvents) => {
        const accountIds = [newId('account'), newId('account')] as const;
        // No two contacts have an identifier: which of them a visitor is depends on the order of their events.
        const people = accountIds.map((accountId) => Array.from({ length: 4 }, () => ({ accountId, id: newId('contact') })));
        const emailOf = (id: ContactId, email: string) => `${email}.${id}@example.com`.toLowerCase();
        const rows = people
          .flat()
          .flatMap(({ accountId, id }) => [
            visitorOf(accountId, [`email:${emailOf(id, 'a')}`]),
            visitorOf(accountId, [`email:${emailOf(id, 'b')}`, `external:x-${id}`]),
            visitorOf(accountId, [`external:x-${id}`], newId('contact')),
            visitorOf(accountId, [`contact:${id}`]),
          ]);
        for (const those of [one, all]) await insert(those, rows);
        const eventOf = ({ account, contact, kind, revision, email, externalId, isRedelivered }: (typeof history)[number][number]) => {
          const { accountId, id } = people[account]?.[contact] ?? { accountId: accountIds[0], id: newId('contact') };
          const identifiers = { email: email && emailOf(id, email), external_id: externalId && `${externalId}-${id}` };
          const current = aContact({ id, revision, ...identifiers });
          const gone = { contact_id: id, revision };
          const event = () => {
            switch (kind) {
              case 'created':
                return anEvent(ContactCreated, accountId, { contact: current });
              case 'updated':
                return anEvent(ContactUpdated, accountId, { contact: current, changed: ['email'] });
              case 'deleted':
                return anEvent(ContactDeleted, accountId, gone);
              case 'merged':
                return anEvent(ContactDeleted, accountId, { ...gone, merged_into: newId('contact') });
              case 'discarded':
                return anEvent(ContactDeleted, accountId, { ...gone, merged_ids: [newId('contact')] });
            }
          };
          const written = event();
          return isRedelivered ? [written, written] : [written];
        };
        for (const happenings of history) {
          const events = happenings.flatMap(eventOf);
          await applyEvents(one.mongo, one.handlers, events);
          await applyEvents(all.mongo, all.handlers, events, { maxEvents, atOnce: 2 });
        }
        const without = ['attributing_at', 'forget_at', 'at', 'traceparent'];
        const stateOf = ({ mongo }: typeof one) => accountState(mongo.db, { accountIds, collections: ['identities', 'visitors'], without });
        assert.deepEqual(await stateOf(all), await stateOf(one));
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  /** Applies events of different contacts in one transaction, in this order. */
  const together = (events: readonly EventEnvelope[]) =>
    all.mongo.transaction({ correlationId: 'req_12345678', causationId: null }, async (tx) => {
      const handler = all.handlers.find(({ event }) => event.type === events[0]?.type);
      await handler?.reactAll?.(tx, events);
    });

  await t.test('of two contacts that swap an identifier leave it with the one that has it now, in any order', async () => {
    for (const order of [(events: EventEnvelope[]) => events, (events: EventEnvelope[]) => events.toReversed()]) {
      const accountId = newId('account');
      const [ada, bo] = [aContact({ email: 'ada@example.com' }), aContact({ email: 'bo@example.com' })];
      await together([ada, bo].map((contact) => anEvent(ContactCreated, accountId, { contact })));
      const swapped = [
        { ...ada, email: bo.email, revision: 2 },
        { ...bo, email: ada.email, revision: 2 },
      ];
      await together(order(swapped.map((contact) => anEvent(ContactUpdated, accountId, { contact, changed: ['email'] }))));
      const resolved = await all.identities.resolve(accountId, ['email:ada@example.com', 'email:bo@example.com']);
      assert.deepEqual([...resolved].sort(), [
        ['email:ada@example.com', bo.id],
        ['email:bo@example.com', ada.id],
      ]);
    }
  });

  await t.test('of two contacts that a visitor claimed identify it as the first, once', async () => {
    const accountId = newId('account');
    const [ada, bo] = [aContact({ email: 'ada@example.com' }), aContact({ email: 'bo@example.com' })];
    const visitor = visitorOf(accountId, ['email:bo@example.com', 'email:ada@example.com']);
    await insert(all, [visitor]);
    await together([ada, bo].map((contact) => anEvent(ContactCreated, accountId, { contact })));
    const identified = await writtenEvents(all.mongo.db, { accountId, subject: VisitorIdentified.subject });
    assert.deepEqual(
      identified.map(({ envelope: { data } }) => [data.visitor_id, data.contact_id]),
      [[visitor._id, ada.id]],
    );
    const row = await all.mongo.db.collection<Rows[number]>('visitors').findOne({ _id: visitor._id });
    assert.equal(row?.contact_id, ada.id);
  });

  await t.test('cost a few commands for a hundred contacts of several accounts, even when each identifies a visitor', async () => {
    const accountIds = Array.from({ length: 10 }, () => newId('account'));
    const people = Array.from({ length: 100 }, (_, n) => ({
      accountId: accountIds[n % 10] ?? newId('account'),
      contact: aContact({ email: `${n}@example.com` }),
    }));
    const cost = (events: readonly EventEnvelope[]) =>
      countCommands(all.mongo, () => applyEvents(all.mongo, all.handlers, events, { maxEvents: 200, atOnce: 1 }));
    const created = await cost(people.map(({ accountId, contact }) => anEvent(ContactCreated, accountId, { contact })));
    await insert(
      all,
      people.map(({ accountId, contact }) => visitorOf(accountId, [`external:${contact.id}`])),
    );
    const identifying = await cost(
      people.map(({ accountId, contact }) => {
        const named = { ...contact, external_id: contact.id, revision: 2 };
        return anEvent(ContactUpdated, accountId, { contact: named, changed: ['external_id'] });
      }),
    );
    assert.equal(await all.mongo.db.collection('visitors').countDocuments({ account_id: { $in: accountIds }, identified: true }), 100);
    assert.ok(created.commands <= 13 && created.commits <= 2 && created.documents <= 330, `without visitors: ${JSON.stringify(created)}`);
    assert.ok(
      identifying.commands <= 17 && identifying.commits <= 2 && identifying.documents <= 560,
      `with visitors: ${JSON.stringify(identifying)}`,
    );
  });
});
