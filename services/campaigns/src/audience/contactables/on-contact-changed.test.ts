import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '@mp/contracts/contact';
import type { EventEnvelope } from '@mp/contracts/event';
import { ContactCreated, ContactDeleted, ContactErased, ContactUpdated } from '@mp/contracts/events/contacts';
import { createErasuresStore } from '@mp/erasures/erasures-store';
import { newId } from '@mp/ids';
import { accountState } from '@mp/test-kit/account-state';
import { anEvent } from '@mp/test-kit/an-event';
import { applyEvents } from '@mp/test-kit/apply-events';
import { countCommands } from '@mp/test-kit/count-commands';
import { testParts } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { newContact, subscribed } from '../../../test/neighbours.ts';
import { createRecipientsQueue } from '../../ledger/recipients/recipients-queue.ts';
import { createRecipientsStore } from '../../ledger/recipients/recipients-store.ts';
import { createSettleDelivered } from '../../ledger/recipients/settle-delivered.ts';
import { createContactablesStore } from './contactables-store.ts';
import { reasonNotToMail } from './mailable-contacts.ts';
import { onContactChanged } from './on-contact-changed.ts';
import { onContactErased } from './on-contact-erased.ts';
import { createSuppressionsStore } from './suppressions-store.ts';

test('the projection of contacts', async (t) => {
  const parts = await testParts(t, 'campaigns');
  const contactables = createContactablesStore(parts.mongo.db);
  await contactables.prepare();

  await t.test('converges on the newest revision, for any order and repetition of events and replies', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom('there', 'deleted', 'back after an undone merge'),
        fc.infiniteStream(fc.nat(1_000)),
        async (revisions, end, order) => {
          const accountId = newId('account');
          const id = newId('contact');
          const states: (Contact | null)[] = Array.from({ length: revisions }, (_, index) =>
            newContact({ id, revision: index + 1, first_name: `r${index + 1}` }),
          );
          if (end !== 'there') states.push(null);
          if (end === 'back after an undone merge') states.push(newContact({ id, revision: revisions + 2, first_name: 'back' }));
          const delivered = [...states.entries(), ...states.entries()].sort(() => (order.next().value ?? 0) - 500);
          for (const [index, contact] of delivered) {
            await parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) =>
              contactables.put(tx, [{ account_id: accountId, id, revision: index + 1, contact }]),
            );
            const requested = states[(order.next().value ?? 0) % revisions];
            if (requested) await contactables.keep(accountId, [requested]);
          }
          assert.deepEqual((await contactables.find(accountId, [id])).get(id), states.at(-1));
          assert.equal((await contactables.find(newId('account'), [id])).size, 0);
        },
      ),
      { numRuns: 15 },
    );
  });
});

async function setting(t: test.TestContext) {
  const parts = await testParts(t, 'campaigns', { monitorCommands: true });
  const { mongo, outbox, cursors } = parts;
  const [contactables, recipients] = [createContactablesStore(mongo.db), createRecipientsStore(mongo.db, cursors)];
  const [suppressions, erasures] = [createSuppressionsStore(mongo.db), createErasuresStore(mongo.db)];
  for (const store of [contactables, recipients, suppressions, erasures]) await store.prepare();
  const settleDelivered = createSettleDelivered({ recipients, outbox });
  const queue = createRecipientsQueue(mongo.db);
  const handlers = [
    ...onContactChanged({ contactables, suppressions, settleDelivered, queue, onDue: () => undefined }),
    onContactErased({ contactables, erasures, wake: () => undefined }),
  ];
  return { mongo, handlers };
}

test('events of contacts', async (t) => {
  const [one, all] = [await setting(t), await setting(t)];

  await t.test('have the same effect on contacts and emails in any grouping', async () => {
    const happening = fc.record({
      account: fc.nat(1),
      contact: fc.nat(3),
      kind: fc.constantFrom('created', 'updated', 'moved', 'complained', 'deleted', 'erased'),
      // Those of erasures, which take effect alone, are odd: no order decides which of two events is newer.
      revision: fc.integer({ min: 1, max: 6 }).map((half) => half * 2),
      isRedelivered: fc.boolean(),
    });
    const history = fc.array(happening, { minLength: 10, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 2, max: 40 }), async (history, maxEvents) => {
        const accountIds = [newId('account'), newId('account')] as const;
        const people = accountIds.map((accountId) => Array.from({ length: 4 }, () => ({ accountId, id: newId('contact') })));
        const emails = people.flat().flatMap(({ accountId, id }) => {
          const email = { account_id: accountId, contact_id: id, source: 'campaign', reason: null, message_id: null, attempts: 1 };
          const sent = [1, 2].map((day) => ({ ...email, state: 'sent', sent_at: new Date(`2026-01-0${day}`) }));
          const waiting = { ...email, state: 'queued', sent_at: null, due_at: new Date(), waits: { for: 'quiet_hours', settings: 1 } };
          return [...sent, waiting].map((row) => ({
            ...row,
            _id: newId('recipient'),
            source_id: newId('campaign'),
            source_key: newId('campaign'),
          }));
        });
        for (const { mongo } of [one, all]) await mongo.db.collection<{ _id: string }>('recipients').insertMany(emails);
        const events = history.flatMap(({ account, contact, kind, revision, isRedelivered }) => {
          const { accountId, id } = people[account]?.[contact] ?? { accountId: accountIds[0], id: newId('contact') };
          const current = newContact({ id, revision, first_name: `r${revision}`, email: `${id}@example.com` });
          const event = () => {
            switch (kind) {
              case 'created':
                return anEvent(ContactCreated, accountId, { contact: current });
              case 'updated':
                return anEvent(ContactUpdated, accountId, { contact: current, changed: ['first_name'] });
              case 'moved':
                return anEvent(ContactUpdated, accountId, { contact: { ...current, timezone: 'UTC' }, changed: ['timezone', 'email'] });
              case 'complained':
                return anEvent(ContactUpdated, accountId, { contact: { ...current, status: 'complained' }, changed: ['status'] });
              case 'deleted':
                return anEvent(ContactDeleted, accountId, { contact_id: id, revision });
              case 'erased': {
                const erased = { contact_id: id, merged_ids: [newId('contact')], revision: revision + 1, erasure_id: newId('erasure') };
                return anEvent(ContactErased, accountId, erased);
              }
            }
          };
          const written = event();
          return isRedelivered ? [written, written] : [written];
        });
        await applyEvents(one.mongo, one.handlers, events);
        await applyEvents(all.mongo, all.handlers, events, { maxEvents, atOnce: 2 });
        const collections = ['contactables', 'recipients', 'erasures'];
        const without = ['due_at', 'created_at', 'asked_at', 'at', 'next_at', 'traceparent'];
        const stateOf = ({ mongo }: typeof one) => accountState(mongo.db, { accountIds, collections, without });
        assert.deepEqual(await stateOf(all), await stateOf(one));
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  await t.test('cost a few commands for a hundred contacts', async () => {
    const accountIds = Array.from({ length: 10 }, () => newId('account'));
    const people = Array.from({ length: 100 }, (_, n) => ({ accountId: accountIds[n % 10] ?? newId('account'), contact: newContact() }));
    const cost = (events: readonly EventEnvelope[]) =>
      countCommands(all.mongo, () => applyEvents(all.mongo, all.handlers, events, { maxEvents: 200, atOnce: 1 }));
    const created = await cost(people.map(({ accountId, contact }) => anEvent(ContactCreated, accountId, { contact })));
    const updated = await cost(
      people.map(({ accountId, contact }) =>
        anEvent(ContactUpdated, accountId, { contact: { ...contact, revision: 2 }, changed: ['first_name'] }),
      ),
    );
    for (const sent of [created, updated])
      assert.ok(sent.commands <= 11 && sent.commits <= 2 && sent.documents <= 220, JSON.stringify(sent));
  });
});

test('each reason for not emailing a contact', () => {
  const none = { unsubscribedAt: undefined, bounced: false };
  const at = '2026-03-01T00:00:00.000Z';
  const consent = (status: 'subscribed' | 'pending' | 'unsubscribed') => ({ email: { status, at, method: 'api' as const }, sms: null });
  const cases = [
    [undefined, none, 'deleted'],
    [newContact({ email: null }), none, 'no_address'],
    [newContact({ consent: { email: null, sms: null } }), none, 'pending_opt_in'],
    [newContact({ consent: consent('pending') }), none, 'pending_opt_in'],
    [newContact({ consent: consent('unsubscribed') }), none, 'unsubscribed'],
    [newContact({ status: 'bounced' }), none, 'bounced_before'],
    [newContact({ status: 'complained' }), none, 'suppressed'],
    [newContact(), { ...none, bounced: true }, 'bounced_before'],
    [newContact({ consent: subscribed(at) }), { ...none, unsubscribedAt: new Date('2026-03-02') }, 'unsubscribed'],
    [newContact({ consent: subscribed(at) }), { ...none, unsubscribedAt: new Date('2026-02-01') }, undefined],
    [
      newContact({ consent: subscribed(at) }),
      { ...none, unsubscribedAt: new Date('2026-03-02'), resubscribedAt: new Date('2026-03-03') },
      undefined,
    ],
    [
      newContact({ consent: subscribed(at) }),
      { ...none, unsubscribedAt: new Date('2026-03-04'), resubscribedAt: new Date('2026-03-03') },
      'unsubscribed',
    ],
    [newContact({ consent: subscribed(at) }), { ...none, bounced: true, resubscribedAt: new Date('2026-03-03') }, 'bounced_before'],
    [newContact(), none, undefined],
  ] as const;
  for (const [contact, suppressions, reason] of cases) assert.equal(reasonNotToMail(contact, suppressions), reason);
});
