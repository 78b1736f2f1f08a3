import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '@mp/contracts/contact';
import { newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/parts';
import fc from 'fast-check';
import { newContact, subscribed } from '../../../test/neighbours.ts';
import { reasonNotToMail } from './contactable.ts';
import { createContactablesStore } from './contactables-store.ts';

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
          const told = [...states.entries(), ...states.entries()].sort(() => (order.next().value ?? 0) - 500);
          for (const [index, contact] of told) {
            await parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) =>
              contactables.put(tx, accountId, { id, revision: index + 1, contact }),
            );
            const asked = states[(order.next().value ?? 0) % revisions];
            if (asked) await contactables.keep(accountId, [asked]);
          }
          assert.deepEqual((await contactables.find(accountId, [id])).get(id), states.at(-1));
          assert.equal((await contactables.find(newId('account'), [id])).size, 0);
        },
      ),
      { numRuns: 15 },
    );
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
