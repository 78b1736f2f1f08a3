import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { applyAll, backfillAll, contactWith } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

test('a segment by consent for a topic follows that topic only', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp);
  const account = testClient(app);
  const contact = contactWith();
  const change = (revision: number, topic: string, status: 'subscribed' | 'unsubscribed') => {
    const email = { status, method: 'form' as const, source: null, at: '2026-05-01T00:00:00.000Z' };
    const consent = { ...contact.consent, topics: { [topic]: { email, sms: null } } };
    return applyAll(parts, built, account.accountId, [{ ...contact, revision, consent }]);
  };
  await applyAll(parts, built, account.accountId, [contact]);
  const definition = { field: 'consent.email.topics.newsletter', op: 'eq', value: 'subscribed' };
  const { data: segment } = await account.post('/v2/segments', { name: 'Newsletter', definition });
  await backfillAll(built);
  const size = async () => (await account.get(`/v2/segments/${segment.id}/contacts`)).data.items.length;
  assert.equal(await size(), 0);
  await change(2, 'newsletter', 'subscribed');
  assert.equal(await size(), 1);
  await change(3, 'newsletter', 'unsubscribed');
  assert.equal(await size(), 0);
  await change(4, 'offers', 'subscribed');
  assert.equal(await size(), 0);
  const unknown = { field: 'consent.fax.topics.newsletter', op: 'exists' };
  assert.equal((await account.post('/v2/segments', { name: 'Fax', definition: unknown })).error.details[0].path, '/definition/field');
});
