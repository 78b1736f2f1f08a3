import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageUnsubscribed } from '@mp/contracts/events/campaigns';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/parts';
import { publishEvent } from '../../test/publish-event.ts';
import { buildApp } from '../app.ts';

test('unsubscribing by a link in an email', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const account = testClient(app);
  const unsubscribe = (contactId: string, at: string) =>
    publishEvent(parts, account.accountId, {
      event: MessageUnsubscribed,
      data: {
        recipient_id: newId('recipient'),
        contact_id: contactId,
        campaign_id: newId('campaign'),
        workflow_id: null,
        at,
        channel: 'email',
        evidence: 'one-click',
      },
    });
  const entriesOf = async (id: string) => (await account.get(`/v2/contacts/${id}/consent/log`)).data.items;

  await t.test('withdraws consent at the time of the click', async () => {
    const { data: contact } = await account.post('/v2/contacts', { email: 'ada@example.com' });
    const at = new Date().toISOString();
    await unsubscribe(contact.id, at);
    const read = await eventually(async () => {
      const { data } = await account.get(`/v2/contacts/${contact.id}`);
      return data.status === 'unsubscribed' && data;
    });
    assert.deepEqual(read.consent.email, { status: 'unsubscribed', method: 'link', at });
  });

  await t.test('is logged without effect if it arrives after a newer unsubscription', async () => {
    const { data: contact } = await account.post('/v2/contacts', { email: 'bo@example.com' });
    const { data: left } = await account.put(`/v2/contacts/${contact.id}/consent`, { email: { status: 'unsubscribed' } });
    await unsubscribe(contact.id, '2026-05-01T00:00:00.000Z');
    const [newest] = await eventually(async () => {
      const entries = await entriesOf(contact.id);
      return entries.length === 2 && entries;
    });
    assert.deepEqual([newest.outdated.method, newest.evidence.source, newest.after], ['link', 'one-click', left.email]);
    assert.deepEqual((await account.get(`/v2/contacts/${contact.id}/consent`)).data, left);
  });
});
