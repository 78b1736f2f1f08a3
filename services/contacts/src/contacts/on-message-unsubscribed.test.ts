import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageBounced, MessageResubscribed, MessageUnsubscribed } from '@mp/contracts/events/campaigns';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
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

  await t.test('is ended by subscribing again on the preference page, with the text that was shown, but a bounce is not', async () => {
    const message = (contact_id: string) => ({
      ...{ recipient_id: newId('recipient'), contact_id, campaign_id: newId('campaign'), workflow_id: null },
    });
    const { data: contact } = await account.post('/v2/contacts', { email: 'cy@example.com' });
    const { data: bounced } = await account.post('/v2/contacts', { email: 'di@example.com' });
    const [left, back] = [new Date(Date.now() - 2_000).toISOString(), new Date(Date.now() - 1_000).toISOString()];
    const bounce = { ...message(bounced.id), at: left, hard: true, reason: '550 5.1.1' };
    await publishEvent(parts, account.accountId, { event: MessageBounced, data: bounce });
    for (const { id } of [contact, bounced]) {
      await unsubscribe(id, left);
      await eventually(async () =>
        (await entriesOf(id)).some(({ after }: { after: { status: string } }) => after?.status === 'unsubscribed'),
      );
      const again = { ...message(id), at: back, channel: 'email' as const, evidence: 'preferences', text: 'Subscribe again' };
      await publishEvent(parts, account.accountId, { event: MessageResubscribed, data: again });
    }
    const read = async (id: string) => (await account.get(`/v2/contacts/${id}`)).data;
    const of = (id: string, status: string) =>
      eventually(async () => {
        const found = await read(id);
        return found.consent.email.status === 'subscribed' && found.status === status && found;
      });
    assert.deepEqual((await of(contact.id, 'active')).consent.email, { status: 'subscribed', method: 'form', at: back });
    const [entry] = await entriesOf(contact.id);
    assert.deepEqual(entry.evidence, { source: 'preferences', text: 'Subscribe again' });
    await of(bounced.id, 'bounced');
  });
});
