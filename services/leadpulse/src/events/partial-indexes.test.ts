import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import { createIdentitiesStore } from '../identities/identities-store.ts';
import { createVisitorsStore } from '../visitors/visitors-store.ts';
import { createEventsStore } from './events-store.ts';

/** MongoDB 4.0 uses a partial index only if it can infer that the query matches nothing outside it. */
test('MongoDB uses every partial index for its queries', async (t) => {
  const { mongo, cursors } = await testParts(t, 'leadpulse');
  const { db } = mongo;
  for (const store of [createEventsStore(db), createVisitorsStore(db, cursors), createIdentitiesStore(db)]) await store.prepare();
  const account_id = newId('account');
  const contact_id = newId('contact');
  const claims = ['email:a@example.com', `contact:${contact_id}`];
  const visitor = newId('visitor');

  const cases: [collection: string, index: string, query: object][] = [
    ['events', 'visitor', { account_id, visitor }],
    ['events', 'visitor', { account_id, visitor, contact_id: null, $or: [{ claims: { $in: claims } }, { claims: [] }] }],
    ['events', 'contact', { account_id, contact_id }],
    ['events', 'orders', { account_id, contact_id: { $in: [contact_id] }, 'value.currency': { $gt: '' }, time: { $gte: new Date(0) } }],
    ['events', 'form', { account_id, form_id: newId('form'), time: { $gte: new Date(0) } }],
    ['events', 'claims', { account_id, claims: { $in: claims }, visitor: { $gt: '' } }],
    ['events', 'time', { account_id, visitor: { $gt: '' }, time: { $gte: new Date(0) } }],
    ['events', 'received', { account_id, visitor: { $gt: '' }, _id: { $gte: 'activity_0' } }],
    ['events', 'name', { account_id, visitor: { $gt: '' }, name: { $in: ['a', 'b'] }, time: { $gte: new Date(0) } }],
    ['events', 'queue', { account_id, pending: true }],
    ['visitors', 'contact', { account_id, contact_id }],
    ['visitors', 'claims', { account_id, claims: { $in: claims } }],
    ['visitors', 'claims', { account_id, claims: { $in: claims }, contact_id: null }],
    ['visitors', 'attributing_next', { attributing: true }],
    ['visitors', 'attributing_since', { attributing: true, account_id }],
    ['identities', 'forget', { forget_at: { $lte: new Date() } }],
  ];
  for (const [collection, index, query] of cases) {
    const { queryPlanner } = await db.collection(collection).find(query).explain('queryPlanner');
    const plans = JSON.stringify([queryPlanner.winningPlan, queryPlanner.rejectedPlans]);
    assert.match(plans, new RegExp(`"indexName":"${index}"`), `${collection}.${index}: ${plans}`);
    assert.doesNotMatch(JSON.stringify(queryPlanner.winningPlan), /COLLSCAN/);
  }
});
