import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventEnvelope } from '@mp/contracts/event';
import { MessageClicked } from '@mp/contracts/events/campaigns';
import { EventAttributed, EventBackfilled, EventTracked } from '@mp/contracts/events/leadpulse';
import { MembershipEntered, MembershipLeft } from '@mp/contracts/events/segments';
import { RunEnded, RunStarted } from '@mp/contracts/events/workflows';
import { type AccountId, type ContactId, newId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import { aContact } from '@mp/test-kit/a-contact';
import { accountState } from '@mp/test-kit/account-state';
import { anEvent } from '@mp/test-kit/an-event';
import { applyEvents } from '@mp/test-kit/apply-events';
import { countCommands } from '@mp/test-kit/count-commands';
import { testParts } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { createLoadContext } from '../contacts/account-context.ts';
import { createSaveContacts } from '../contacts/save-contacts.ts';
import { createTouchLastSeen } from '../contacts/touch-last-seen.ts';
import { createStores } from '../stores.ts';
import { onMembership, onMessage, onRun, onTracked } from './on-happened.ts';

async function setting(t: test.TestContext) {
  const parts = await testParts(t, 'contacts', { monitorCommands: true });
  const { mongo, outbox } = parts;
  const stores = createStores(parts);
  await stores.prepare();
  const loadContext = createLoadContext(stores);
  const { save } = createSaveContacts({ ...stores, outbox });
  const touchLastSeen = createTouchLastSeen({ ...stores, loadContext, saveContacts: save });
  const handlers = [...onMembership(stores), ...onMessage(stores), ...onTracked(stores, touchLastSeen), ...onRun(stores)];
  const change = (work: (tx: Transaction) => Promise<void>) =>
    mongo.transaction({ correlationId: 'req_12345678', causationId: null }, work);
  return { mongo, contacts: stores.contacts, handlers, change };
}

const day = Date.parse('2026-03-01T00:00:00.000Z');

const trackedData = (contactId: ContactId | null, minute: number, bot = false) => ({
  event_id: newId('activity'),
  event: 'page_viewed',
  visitor_id: 'v1',
  contact_id: contactId,
  time: new Date(day + minute * 60_000).toISOString(),
  properties: {},
  value: null,
  bot,
});

const membershipData = (contactId: ContactId, minute: number) => ({
  segment_id: newId('segment'),
  segment_name: 'Berlin',
  contact_id: contactId,
  sequence: 1,
  at: new Date(day + minute * 60_000).toISOString(),
  cause: 'contact' as const,
});

const runData = (contactId: ContactId, minute: number) => ({
  ...{ run_id: newId('run'), workflow_id: newId('workflow'), workflow_name: 'Welcome', contact_id: contactId },
  at: new Date(day + minute * 60_000).toISOString(),
});

const messageData = (contactId: ContactId, minute: number) => ({
  recipient_id: newId('recipient'),
  contact_id: contactId,
  campaign_id: newId('campaign'),
  workflow_id: null,
  at: new Date(day + minute * 60_000).toISOString(),
  url: 'https://example.com',
  machine: false,
});

test('entries of the timeline', async (t) => {
  const [one, all] = [await setting(t), await setting(t)];

  const contactsOfAccount = 4;
  const happening = fc.record({
    account: fc.nat(1),
    contact: fc.nat(contactsOfAccount - 1),
    kind: fc.constantFrom(
      ...(['tracked', 'tracked', 'tracked', 'attributed', 'again', 'past', 'anonymous', 'bot', 'entered', 'left', 'clicked'] as const),
      ...(['started', 'ended'] as const),
    ),
    minute: fc.integer({ min: 0, max: 4 }).map((third) => third * 20),
    isRedelivered: fc.boolean(),
  });
  const change = fc.record({
    account: fc.nat(1),
    kind: fc.constantFrom('merged', 'merged', 'merged', 'deleted', 'none'),
    contact: fc.nat(contactsOfAccount - 1),
    into: fc.nat(contactsOfAccount - 1),
  });
  const history = fc.array(fc.record({ happenings: fc.array(happening, { minLength: 5, maxLength: 25 }), change }), {
    minLength: 2,
    maxLength: 4,
  });

  await t.test('are the same in any grouping of the events, and so are the contacts and what is published about them', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 2, max: 40 }), async (history, maxEvents) => {
        const accountIds = [newId('account'), newId('account')] as const;
        const people = accountIds.map(() =>
          Array.from({ length: contactsOfAccount }, (_, n) =>
            aContact({ email: `${n}@example.com`, last_seen_at: n % 2 ? new Date(day).toISOString() : null, attributes: { plan: 'pro' } }),
          ),
        );
        /** Contacts that have others merged into them: the order of events of several contacts decides how often these are revised. */
        const survivors = new Map<ContactId, ContactId[]>();
        const inBoth = async (work: (tx: Transaction, contacts: typeof one.contacts) => Promise<void>) => {
          for (const { change, contacts } of [one, all]) await change((tx) => work(tx, contacts));
        };
        for (const [n, accountId] of accountIds.entries()) {
          const written = (people[n] ?? []).map((contact) => ({ contact, isNew: true }));
          await inBoth((tx, contacts) => contacts.write(tx, accountId, written, false));
        }
        for (const [round, { happenings, change }] of history.entries()) {
          const events: EventEnvelope[] = [];
          for (const { account, contact, kind, minute, isRedelivered } of happenings) {
            const accountId: AccountId = accountIds[account === 0 ? 0 : 1];
            const id = people[account]?.[contact]?.id ?? newId('contact');
            const isMerged = [...survivors].flat(2).includes(id);
            // Whole hours, so that each is over in any order.
            const at = round * 300 + (isMerged ? (minute / 20) * 60 : minute);
            const event = () => {
              switch (kind) {
                case 'tracked':
                  return anEvent(EventTracked, accountId, trackedData(id, at));
                case 'attributed':
                  return anEvent(EventAttributed, accountId, trackedData(id, at));
                case 'past':
                  return anEvent(EventBackfilled, accountId, trackedData(id, at));
                case 'again': {
                  const data = trackedData(id, at);
                  events.push(anEvent(EventTracked, accountId, data));
                  return anEvent(EventAttributed, accountId, data);
                }
                case 'anonymous':
                  return anEvent(EventTracked, accountId, trackedData(null, at));
                case 'bot':
                  return anEvent(EventTracked, accountId, trackedData(id, at, true));
                case 'entered':
                  return anEvent(MembershipEntered, accountId, membershipData(id, at));
                case 'left':
                  return anEvent(MembershipLeft, accountId, membershipData(id, at));
                case 'clicked':
                  return anEvent(MessageClicked, accountId, messageData(id, at));
                case 'started':
                  return anEvent(RunStarted, accountId, runData(id, at));
                case 'ended':
                  return anEvent(RunEnded, accountId, { ...runData(id, at), state: 'completed', reason: null });
              }
            };
            const last = event();
            events.push(last, ...(isRedelivered ? [last] : []));
          }
          await applyEvents(one.mongo, one.handlers, events);
          await applyEvents(all.mongo, all.handlers, events, { maxEvents, atOnce: 2 });

          const { account, kind, contact, into } = change;
          const accountId = accountIds[account === 0 ? 0 : 1];
          const [gone, survivor] = [people[account]?.[contact], people[account]?.[into]];
          if (kind === 'none' || gone === undefined || survivor === undefined) continue;
          await inBoth((tx, contacts) => contacts.remove(tx, accountId, gone.id));
          if (kind === 'deleted' || gone === survivor) continue;
          const merged = [...(survivors.get(survivor.id) ?? []), ...(survivors.get(gone.id) ?? []), gone.id];
          survivors.set(survivor.id, merged);
          await inBoth((tx, contacts) => contacts.setMergedIds(tx, accountId, survivor.id, merged));
        }

        const isOfSurvivor = (row: string) => [...survivors.keys()].some((id) => row.includes(id));
        const stateOf = async ({ mongo: { db } }: typeof one) => {
          const without = ['updated_at', 'created_at', 'traceparent'];
          const state = await accountState(db, { accountIds, collections: ['timeline', 'contacts', 'attributes'], without });
          const seen = await db.collection('contacts').find({ account_id: { $in: [...accountIds] } }, { sort: { _id: 1 } });
          return {
            ...state,
            contacts: state.contacts?.filter((row) => !isOfSurvivor(row)),
            published: state.published?.filter((row) => !isOfSurvivor(row)),
            lastSeen: await seen.map(({ _id, last_seen_at }) => [_id, last_seen_at]).toArray(),
          };
        };
        assert.deepEqual(await stateOf(all), await stateOf(one));
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  await t.test(
    'of a contact and one that was merged into it, seen together, give the contact the latest time in one revision',
    async () => {
      const accountId = newId('account');
      const [contact, merged] = [aContact(), newId('contact')];
      await all.change(async (tx) => {
        await all.contacts.write(tx, accountId, [{ contact, isNew: true }], false);
        await all.contacts.setMergedIds(tx, accountId, contact.id, [merged]);
      });
      const of = (id: ContactId, minute: number) => anEvent(EventTracked, accountId, trackedData(id, minute));
      await all.mongo.transaction({ correlationId: 'req_12345678', causationId: null }, async (tx) => {
        const [handler] = all.handlers.filter(({ event }) => event === EventTracked);
        await handler?.reactAll?.(tx, [of(contact.id, 60), of(merged, 180), of(contact.id, 120)]);
      });
      const seen = await all.contacts.findOne(accountId, merged);
      assert.deepEqual([seen?.last_seen_at, seen?.revision], [trackedData(null, 180).time, 2]);
    },
  );

  await t.test('cost a few commands for a hundred contacts, even when each of these is seen after an hour', async () => {
    const accountId = newId('account');
    const people = Array.from({ length: 100 }, (_, n) => aContact({ email: `${n}@example.com` }));
    const written = people.map((contact) => ({ contact, isNew: true }));
    await all.change((tx) => all.contacts.write(tx, accountId, written, false));
    const cost = (events: readonly EventEnvelope[]) =>
      countCommands(all.mongo, () => applyEvents(all.mongo, all.handlers, events, { maxEvents: 200, atOnce: 1 }));
    const entered = await cost(people.map(({ id }) => anEvent(MembershipEntered, accountId, membershipData(id, 1))));
    const tracked = await cost(people.map(({ id }) => anEvent(EventTracked, accountId, trackedData(id, 1))));
    const anonymous = people.map(() => anEvent(EventTracked, accountId, trackedData(null, 1)));
    assert.ok(entered.commands <= 11 && entered.commits <= 2 && entered.documents <= 220, `memberships: ${JSON.stringify(entered)}`);
    assert.ok(tracked.commands <= 22 && tracked.commits <= 2 && tracked.documents <= 330, `tracked events: ${JSON.stringify(tracked)}`);
    assert.equal(await all.mongo.db.collection('timeline').countDocuments({ account_id: accountId }), 200);
    await assert.rejects(cost(anonymous), /No command/, 'an event of nobody costs nothing');
  });
});
