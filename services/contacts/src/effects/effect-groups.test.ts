import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventEnvelope } from '@mp/contracts/event';
import { ContactEffectCompleted } from '@mp/contracts/events/contacts';
import { ContactEffectRequested } from '@mp/contracts/events/workflows';
import { type AccountId, type ContactId, newId, type RunId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import { aContact } from '@mp/test-kit/a-contact';
import { accountState } from '@mp/test-kit/account-state';
import { anEvent } from '@mp/test-kit/an-event';
import { applyEvents, applyTogether } from '@mp/test-kit/apply-events';
import { countCommands } from '@mp/test-kit/count-commands';
import { testParts } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import fc from 'fast-check';
import type { z } from 'zod';
import { createLoadContext } from '../contacts/account-context.ts';
import { createSaveContacts } from '../contacts/save-contacts.ts';
import { createStores } from '../stores.ts';
import { onEffectRequested } from './on-effect-requested.ts';

type Requested = z.input<typeof ContactEffectRequested.data>;
type Change = Requested['change'];

async function setting(t: test.TestContext) {
  const parts = await testParts(t, 'contacts', { monitorCommands: true });
  const { mongo, outbox } = parts;
  const stores = createStores(parts);
  await stores.prepare();
  const { save: saveContacts } = createSaveContacts({ ...stores, outbox });
  const handler = onEffectRequested({ ...stores, loadContext: createLoadContext(stores), saveContacts, outbox });
  const transact = (work: (tx: Transaction) => Promise<void>) =>
    mongo.transaction({ correlationId: 'req_12345678', causationId: null }, work);
  return { mongo, ...stores, handler, transact };
}

const requested = (
  accountId: AccountId,
  { contactId, change, runId = newId('run') }: { contactId: ContactId; change: Change; runId?: RunId | undefined },
) =>
  anEvent(ContactEffectRequested, accountId, {
    ...{ effect_key: `${runId}:1`, run_id: runId, workflow_id: newId('workflow'), contact_id: contactId },
    change,
  });

const contactsOfAccount = 5;
const update = (members: Record<string, unknown>, increment?: Record<string, number>): Change => ({
  type: 'update_contact',
  members,
  ...(increment && { increment }),
});
const identifier = fc.nat(contactsOfAccount + 1).map(String);
const key = fc.constantFrom('plan', 'points');
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ type: fc.constantFrom('add_tag' as const, 'remove_tag' as const), tag: fc.constantFrom('a', 'b') }),
  identifier.map((n) => update({ email: `${n}@example.com` })),
  identifier.map((n) => update({ external_id: n })),
  fc.constantFrom('email', 'external_id').map((name) => update({ [name]: null })),
  fc.tuple(key, fc.constantFrom('pro', 7, null)).map(([name, value]) => update({ attributes: { [name]: value } })),
  key.map((name) => update({}, { [`attributes.${name}`]: 2 })),
  fc.constantFrom('subscribed', 'unsubscribed').map((status) => update({ consent: { email: { status } } })),
  fc.constantFrom(update({ timezone: 'Mars/Olympus' }), update({ first_name: 'Ada' }), update({ status: 'bounced' })),
);
/** One effect for each contact and round: of several, a group would leave the later ones to the next. */
const round = fc.record({
  effects: fc
    .shuffledSubarray(Array.from({ length: 2 * contactsOfAccount + 1 }, (_, n) => n))
    .chain((who) =>
      fc.tuple(
        ...who.map((n) => fc.record({ n: fc.constant(n), change, again: fc.constantFrom('no', 'no', 'no', 'delivered', 'requested') })),
      ),
    ),
  after: fc.record({
    kind: fc.constantFrom('merged', 'merged', 'deleted', 'none'),
    account: fc.nat(1),
    contact: fc.nat(contactsOfAccount - 1),
    into: fc.nat(contactsOfAccount - 1),
  }),
});

test('effects that workflows request for many contacts', async (t) => {
  const [one, all] = [await setting(t), await setting(t)];
  const inBoth = async (work: (side: typeof one, tx: Transaction) => Promise<void>) => {
    for (const side of [one, all]) await side.transact((tx) => work(side, tx));
  };
  /** `n` contacts, each with an email and an external ID that are its number. */
  async function people(accountId: AccountId, n: number) {
    const contacts = Array.from({ length: n }, (_, index) => aContact({ email: `${index}@example.com`, external_id: String(index) }));
    const written = contacts.map((contact) => ({ contact, isNew: true }));
    await inBoth(({ contacts: store }, tx) => store.write(tx, accountId, written, false));
    return contacts.map(({ id }) => id);
  }
  const stateOf = async ({ mongo: { db } }: typeof one, accountIds: readonly AccountId[]) => {
    const without = ['created_at', 'updated_at', 'at', 'recorded_at', 'traceparent'];
    return [
      await accountState(db, { accountIds, collections: ['contacts', 'attributes', 'effects'], without }),
      await accountState(db, { accountIds, collections: ['consent_log', 'timeline'], without: ['_id', ...without] }),
    ];
  };

  await t.test('have the same effects and results in any grouping', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 3 }), fc.integer({ min: 2, max: 20 }), async (rounds, maxEvents) => {
        const accountIds: [AccountId, AccountId] = [newId('account'), newId('account')];
        const contactIds = [await people(accountIds[0], contactsOfAccount), await people(accountIds[1], contactsOfAccount)];
        const earlier: EventEnvelope[] = [];
        for (const { effects, after } of rounds) {
          const events = effects.flatMap(({ n, change, again }) => {
            const accountId = accountIds[n % 2 === 0 ? 0 : 1];
            const contactId = contactIds[n % 2]?.[Math.floor(n / 2)] ?? newId('contact');
            const event = requested(accountId, { contactId, change });
            if (again === 'delivered') return [event, event];
            return again === 'requested' ? [event, { ...event, id: newId('event') }] : [event];
          });
          const late = earlier.splice(0, 2).map((event) => ({ ...event, id: newId('event') }));
          earlier.push(...events);
          for (const group of [late, events]) {
            await applyEvents(one.mongo, [one.handler], group);
            await applyEvents(all.mongo, [all.handler], group, { maxEvents, atOnce: 1 });
          }

          const accountId = accountIds[after.account === 0 ? 0 : 1];
          const [id, into] = [contactIds[after.account]?.[after.contact], contactIds[after.account]?.[after.into]];
          if (after.kind === 'none' || id === undefined || into === undefined) continue;
          const [mergeId, now] = [newId('merge'), new Date()];
          await inBoth(async ({ contacts, merges }, tx) => {
            const [source] = await contacts.findMany(accountId, [id], tx);
            const [contact] = await contacts.findMany(accountId, [into], tx);
            if (!source) return;
            const theirs = await contacts.idsOf(accountId, id, tx);
            await contacts.remove(tx, accountId, id);
            if (after.kind === 'deleted' || !contact || id === into) return;
            await contacts.setMergedIds(tx, accountId, into, [...(await contacts.idsOf(accountId, into, tx)).slice(1), ...theirs]);
            await merges.add(tx, accountId, { id: mergeId, contact, source, merged: contact, sourceMergedIds: theirs.slice(1) }, now);
          });
        }
        assert.deepEqual(await stateOf(all, accountIds), await stateOf(one, accountIds));
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });

  const resultsOf = async (accountId: AccountId) =>
    new Map(
      (await writtenEvents(all.mongo.db, { accountId, subject: ContactEffectCompleted.subject })).map(({ envelope: { data } }) => [
        data.effect_key,
        data,
      ]),
    );

  await t.test('a change that must be rejected affects no other change, and sees what the changes before it took', async () => {
    const accountId = newId('account');
    const [a, b, c, d, e] = await people(accountId, 5);
    assert.ok(a && b && c && d && e);
    const events = [
      requested(accountId, { contactId: a, change: update({ email: 'free@example.com', attributes: { level: 'new' } }) }),
      requested(accountId, { contactId: b, change: update({ email: '0@example.com' }) }),
      requested(accountId, { contactId: c, change: update({ email: 'Free@example.com' }) }),
      requested(accountId, { contactId: d, change: update({ attributes: { level: 5 } }) }),
      requested(accountId, { contactId: e, change: update({ first_name: 5 }) }),
      requested(accountId, { contactId: newId('contact'), change: { type: 'add_tag', tag: 'x' } }),
    ];
    await applyTogether(all.mongo, all.handler, events);
    const results = await resultsOf(accountId);
    assert.deepEqual(
      events.map(({ data }) => results.get(data.effect_key)).map((result) => [result?.status, result?.revision]),
      [['done', 2], ['done', 2], ...Array.from({ length: 4 }, () => ['refused', null])],
    );
    const reasons = events.map(({ data }) => results.get(data.effect_key)?.reason ?? '');
    for (const [index, reason] of [/already has this email/, /level/, /first_name/, /no longer exists/].entries())
      assert.match(reasons[index + 2] ?? '', reason);
  });

  await t.test('a hundred cost a few commands', async () => {
    const accountId = newId('account');
    const contactIds = await people(accountId, 200);
    const cost = (events: readonly EventEnvelope[]) => countCommands(all.mongo, () => applyTogether(all.mongo, all.handler, events));
    const of = (change: Change, from: number) =>
      contactIds.slice(from, from + 100).map((contactId) => requested(accountId, { contactId, change }));
    const tagging = of({ type: 'add_tag', tag: 'x' }, 0);
    const tagged = await cost(tagging);
    const updated = await cost(
      of(update({ external_id: null, attributes: { plan: 'pro' }, consent: { email: { status: 'unsubscribed' } } }), 0),
    );
    const repeated = await cost(tagging.map((event) => ({ ...event, id: newId('event') })));
    const single = await cost(of({ type: 'add_tag', tag: 'x' }, 100).slice(0, 1));
    t.diagnostic(JSON.stringify({ tagged, updated, repeated, single }));
    assert.equal((await resultsOf(accountId)).size, 201);
    assert.ok(tagged.commands <= 11 && tagged.commits === 1 && tagged.documents <= 220, `tags: ${JSON.stringify(tagged)}`);
    assert.ok(updated.commands <= 22 && updated.commits === 1 && updated.documents <= 440, `updates: ${JSON.stringify(updated)}`);
    assert.ok(repeated.commands <= 4 && repeated.commits === 1 && repeated.documents <= 4, `repeated: ${JSON.stringify(repeated)}`);
  });
});
