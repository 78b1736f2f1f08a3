import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventEnvelope } from '@mp/contracts/event';
import { MessageClicked } from '@mp/contracts/events/campaigns';
import { ContactCreated, ContactDeleted, ContactErased, ContactUpdated, FormConfirmed, FormSubmitted } from '@mp/contracts/events/contacts';
import { EventAttributed, EventBackfilled, EventTracked } from '@mp/contracts/events/leadpulse';
import { type AccountId, newId } from '@mp/ids';
import { accountState } from '@mp/test-kit/account-state';
import { anEvent } from '@mp/test-kit/an-event';
import { applyEvents } from '@mp/test-kit/apply-events';
import { testClient } from '@mp/test-kit/client';
import { countCommands } from '@mp/test-kit/count-commands';
import { testParts, testService } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { backfillAll, contactWith, livingIn } from '../../test/contacts.ts';
import { onEventTracked } from '../activities/on-event-tracked.ts';
import { onFormActivity } from '../activities/on-form-activity.ts';
import { onMessageActivity } from '../activities/on-message-activity.ts';
import { buildApp } from '../app.ts';
import { onContactErased } from '../erasures/on-contact-erased.ts';
import { onContactChanged } from './on-contact-changed.ts';

const now = new Date('2026-03-02T00:00:00.000Z');
const at = (minute: number) => new Date(now.getTime() - minute * 60_000).toISOString();

const formId = newId('form');

/** Events of visitors that are not published at once; all others are of one type. */
const typeOf = new Map([
  ['attributed', EventAttributed],
  ['backfilled', EventBackfilled],
]);

const ofForm = { form_id: formId, form_name: 'F', form_version: 1, consents: [] };

/** What a survivor enters depends on whether the contact that is merged into it had its events before the merge, so that has its place. */
function partsOf(events: readonly EventEnvelope[]): EventEnvelope[][] {
  const parts: EventEnvelope[][] = [[]];
  for (const event of events)
    if ('merged_into' in Object(event.data)) parts.push([event], []);
    else parts.at(-1)?.push(event);
  return parts;
}

async function setting(t: test.TestContext) {
  const parts = await testParts(t, 'segments', { monitorCommands: true });
  const { app, built } = await testService(t, parts, (own) => buildApp(own, { clock: () => now }));
  const handlers = [
    ...[...onContactChanged(built.contacts), onContactErased({ ...built, wake: () => undefined })],
    ...[...onEventTracked(built), ...onFormActivity(built), ...onMessageActivity(built)],
  ];
  const segmentIds = new Map<string, string>();
  async function define(accountId: AccountId) {
    const client = testClient(app, { account_id: accountId });
    for (const [name, definition] of [
      ['Berlin', { field: 'address.city', op: 'eq', value: 'Berlin' }],
      ['Not Bonn', { not: { field: 'address.city', op: 'eq', value: 'Bonn' } }],
      ['Ordered twice', { event: 'order_placed', count: { gte: 2 } }],
      ['Submitted twice', { activity: 'submitted', form: 'any', count: { gte: 2 } }],
      ['Confirmed lately', { activity: 'confirmed', form: formId, in_last: 'P1D' }],
      ['Clicked lately', { activity: 'clicked', campaign: 'any', in_last: 'P1D' }],
    ] as const) {
      const { data, status, text } = await client.post('/v2/segments', { name, definition });
      assert.equal(status, 201, text);
      segmentIds.set(data.id, name);
    }
    await backfillAll(built);
  }
  return { ...parts, handlers, built, define, segmentIds };
}

test('members of segments', async (t) => {
  const [one, all] = [await setting(t), await setting(t)];

  const step = fc.record({
    account: fc.nat(1),
    contact: fc.nat(4),
    do: fc.constantFrom(
      'update',
      'update',
      'late update',
      'delete',
      'erase',
      'merge',
      'order',
      'order',
      'click',
      'submit',
      'submit',
      'confirm',
      'bot',
      'nobody',
      'attributed',
      'backfilled',
    ),
    city: fc.constantFrom('Berlin', 'Bonn', 'Bern'),
    minute: fc.integer({ min: 0, max: 3_000 }),
    isRedelivered: fc.boolean(),
  });

  await t.test('are the same in any grouping of the events, and so is what is published about them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), fc.integer({ min: 2, max: 30 }), async (steps, maxEvents) => {
        const accountIds = [newId('account'), newId('account')] as const;
        const people = accountIds.map(() => Array.from({ length: 5 }, () => newId('contact')));
        for (const accountId of accountIds) for (const { define } of [one, all]) await define(accountId);
        const revisions = new Map<string, number>();
        const deleted = new Set<string>();
        const erased = new Set<string>();
        const events = steps.flatMap((step): EventEnvelope[] => {
          const accountId = accountIds[step.account === 0 ? 0 : 1];
          const id = people[step.account]?.[step.contact] ?? newId('contact');
          const known = revisions.get(id) ?? 0;
          const survivor = people[step.account]?.[(step.contact + 1) % 5] ?? newId('contact');
          const eventOf = () => {
            switch (step.do) {
              case 'erase':
                deleted.add(id);
                erased.add(id);
                return anEvent(ContactErased, accountId, {
                  erasure_id: newId('erasure'),
                  contact_id: id,
                  merged_ids: [],
                  revision: known + 2,
                });
              case 'update':
              case 'late update': {
                const revision = step.do === 'update' ? known + 2 : Math.max(1, known - 1);
                revisions.set(id, Math.max(known, revision));
                const contact = contactWith({ id, revision, ...livingIn(step.city) });
                return known === 0
                  ? anEvent(ContactCreated, accountId, { contact })
                  : anEvent(ContactUpdated, accountId, { contact, changed: ['address.city'] });
              }
              case 'delete':
              case 'merge': {
                const isMerge = step.do === 'merge' && !deleted.has(id) && !deleted.has(survivor);
                revisions.set(id, known + 2);
                deleted.add(id);
                const merged = isMerge && { merged_into: survivor };
                return anEvent(ContactDeleted, accountId, { contact_id: id, revision: known + 2, ...merged });
              }
              case 'submit':
                return anEvent(FormSubmitted, accountId, {
                  ...{ ...ofForm, contact_id: id, submission_id: newId('submission'), is_new: false, awaits_confirmation: true },
                  ...{ page: null, at: at(step.minute) },
                });
              case 'confirm':
                return anEvent(FormConfirmed, accountId, {
                  ...{ ...ofForm, contact_id: id, opt_in_id: newId('optIn'), submitted_at: at(step.minute), at: at(step.minute) },
                });
              case 'click':
                return anEvent(MessageClicked, accountId, {
                  ...{ recipient_id: newId('recipient'), contact_id: id, campaign_id: newId('campaign'), workflow_id: null },
                  ...{ at: at(step.minute), url: 'https://example.com', machine: false },
                });
              default:
                return anEvent(typeOf.get(step.do) ?? EventTracked, accountId, {
                  ...{ event_id: newId('activity'), event: 'order_placed', visitor_id: 'v1', time: at(step.minute), properties: {} },
                  ...{ contact_id: step.do === 'nobody' ? null : id, value: null, bot: step.do === 'bot' },
                });
            }
          };
          const event = eventOf();
          return step.isRedelivered ? [event, event] : [event];
        });
        for (const part of partsOf(events)) {
          await applyEvents(one.mongo, one.handlers, part);
          await applyEvents(all.mongo, all.handlers, part, { maxEvents, atOnce: 2 });
        }

        // A deletion takes effect in a transaction of its own, before or after a group with other events of its contact.
        const isOfDeleted = (row: string) => [...deleted].some((id) => row.includes(id));
        const stateOf = async ({ mongo: { db }, segmentIds }: typeof one) => {
          const collections = ['profiles', 'memberships', 'activities', 'sequences', 'due', 'names'];
          const without = ['touches', 'touched_at', 'deleted_at', 'entered_at', 'left_at', 'at', 'traceparent'];
          const state = await accountState(db, { accountIds, collections, without });
          const named = (row: string) =>
            [...segmentIds].reduce((text, [id, name]) => text.replaceAll(id, name), row).replace(/"_id":"membership_\w+"/, '');
          return Object.fromEntries(
            Object.entries(state).map(([name, rows]) => [
              name,
              rows
                .filter((row) => !isOfDeleted(row))
                .map(named)
                .sort(),
            ]),
          );
        };
        assert.deepEqual(await stateOf(all), await stateOf(one));
        const kept = ({ mongo: { db } }: typeof one, ids: Set<string>) =>
          db
            .collection<{ _id: string; contact: object | null }>('profiles')
            .countDocuments({ _id: { $in: [...ids] }, contact: { $ne: null } });
        assert.equal(await kept(all, deleted), await kept(one, deleted));
        assert.deepEqual([await kept(all, erased), await kept(one, erased)], [0, 0]);
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });

  await t.test('cost a few commands for a hundred new contacts, and for a submission of each', async () => {
    const accountId = newId('account');
    await all.define(accountId);
    const events = Array.from({ length: 100 }, () =>
      anEvent(ContactCreated, accountId, { contact: contactWith({ id: newId('contact'), ...livingIn('Berlin') }) }),
    );
    const created = await countCommands(all.mongo, () => applyEvents(all.mongo, all.handlers, events, { maxEvents: 200, atOnce: 1 }));
    assert.ok(created.commits <= 4 && created.commands <= 60 && created.documents <= 780, JSON.stringify(created));
    const submissions = events.map(({ data }) =>
      anEvent(FormSubmitted, accountId, {
        ...{ ...ofForm, contact_id: data.contact.id, submission_id: newId('submission'), is_new: true, awaits_confirmation: true },
        ...{ page: null, at: at(1) },
      }),
    );
    const submitted = await countCommands(all.mongo, () =>
      applyEvents(all.mongo, all.handlers, submissions, { maxEvents: 200, atOnce: 1 }),
    );
    t.diagnostic(JSON.stringify(submitted));
    assert.ok(submitted.commits <= 4 && submitted.commands <= 40 && submitted.documents <= 330, JSON.stringify(submitted));
  });
});
