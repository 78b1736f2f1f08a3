import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ContactId, newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { newRecipient } from '../../ledger/recipients/recipient-row.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { createPrepareBatch } from './prepare-batch.ts';

test('emails that cannot be composed return their allowance of domain throttles', async () => {
  const accountId = newId('account');
  const campaignId = newId('campaign');
  const throttle = { side: 'sending' as const, domain: 'us.example', per_minute: 60 };
  let reserved = 0;
  const contacts = Array.from({ length: 3 }, (_, index) =>
    aContact({
      email: `p${index}@them.example`,
      consent: { email: { status: 'subscribed', at: '2026-01-01T00:00:00.000Z', method: 'api' }, sms: null },
    }),
  );
  const content = {
    ...{ subject: 'Hi', preview_text: null, from: { email: 'news@us.example', name: null }, reply_to: null },
    ...{ html: '<p>Hi</p>', text: null, utm: null, track: { opens: true, clicks: true } },
  };
  const prepareBatch = createPrepareBatch({
    findMailable: async (_, ids: readonly ContactId[]) =>
      new Map(ids.map((id) => [id, { contact: contacts.find((contact) => contact.id === id), reason: undefined }])),
    findMessageRecipients: async () => new Map(),
    contents: { of: async () => ({ content, name: '', links: [] }) },
    attachments: { load: async () => [] },
    composeMails: async ({ mails }) =>
      mails.map(({ email }) =>
        email.startsWith('p1')
          ? { fault: '/html: it cannot be rendered' }
          : { from: 'news@us.example', to: email, messageId: '<m>', raw: Buffer.from('Hi'), links: {} },
      ),
    giveCodes: async (_, __, emails) => ({ emails, refused: [] }),
    settings: { inForce: async () => ({ settings: { ...defaultSettings, domain_throttles: [throttle] }, revision: 1 }) },
    recipients: { emailedSince: async () => new Map(), emailedAt: async () => undefined },
    throttles: {
      reserve: async (_, __, wanted) => {
        reserved += wanted;
        return { count: wanted, laterAt: () => new Date() };
      },
      giveBack: async (_, __, count) => {
        reserved -= count;
      },
    },
    gate: { closedUntil: () => undefined },
    maxDomainWaitMs: 1_000,
  });
  const source = { account_id: accountId, source: 'campaign' as const, source_id: campaignId, source_key: campaignId };
  const rows = contacts.map(({ id }) => ({
    ...newRecipient({ ...source, contact_id: id, content_id: campaignId }, false, new Date()),
    lease_token: 'token',
  }));
  const { ready, decided } = await prepareBatch(rows);
  assert.deepEqual([ready.length, decided.length], [2, 1]);
  assert.equal(reserved, 2);
});
