import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type ContactId, newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { newRecipient } from '../../ledger/recipients/recipient-row.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { createPrepareBatch } from './prepare-batch.ts';

type Deps = Parameters<typeof createPrepareBatch>[0];

/** Prepares a batch of three emails to p0, p1 and p2. */
function prepareThree(its: Pick<Deps, 'composeEmails'> & Partial<Deps>) {
  const campaignId = newId('campaign');
  const contacts = [0, 1, 2].map((index) =>
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
    findMailable: async (_, ids: readonly ContactId[]) => {
      // Takes longer than a sixth of the shortest claim below.
      for (const began = Date.now(); Date.now() <= began + 1; ) await setImmediate();
      return new Map(ids.map((id) => [id, { contact: contacts.find((contact) => contact.id === id), reason: undefined }]));
    },
    findMessageRecipients: async () => new Map(),
    contents: { of: async () => ({ content, name: '', links: [] }) },
    attachments: { load: async () => [] },
    giveCodes: async (_, __, emails) => ({ emails, refused: [] }),
    settings: { inForce: async () => ({ settings: defaultSettings, revision: 1 }) },
    recipients: { emailedSince: async () => new Map(), emailedAt: async () => undefined },
    throttles: { reserve: async () => assert.fail('no throttle'), giveBack: async () => undefined },
    gate: { closedUntil: () => undefined },
    maxDomainWaitMs: 1_000,
    claimMs: 30_000,
    ...its,
  });
  const source = { account_id: newId('account'), source: 'campaign' as const, source_id: campaignId, source_key: campaignId };
  return prepareBatch(
    contacts.map(({ id }) => ({
      ...newRecipient({ ...source, contact_id: id, content_id: campaignId }, false, new Date()),
      lease_token: 'token',
    })),
  );
}

const composed = (to: string) => ({ from: 'news@us.example', to, messageId: '<m>', raw: Buffer.from('Hi'), links: {} });

test('emails that cannot be composed return their allowance of domain throttles', async () => {
  const throttle = { side: 'sending' as const, domain: 'us.example', per_minute: 60 };
  let reserved = 0;
  const { ready, decided } = await prepareThree({
    composeEmails: async ({ mails }) =>
      mails.map(({ email }) => (email.startsWith('p1') ? { fault: '/html: it cannot be rendered' } : composed(email))),
    settings: { inForce: async () => ({ settings: { ...defaultSettings, domain_throttles: [throttle] }, revision: 1 }) },
    throttles: {
      reserve: async (_, __, wanted) => {
        reserved += wanted;
        return { count: wanted, laterAt: () => new Date() };
      },
      giveBack: async (_, __, count) => {
        reserved -= count;
      },
    },
  });
  assert.deepEqual([ready.length, decided.length], [2, 1]);
  assert.equal(reserved, 2);
});

test('a batch whose checks took all of its time still composes its first emails, and leaves the others for the next', async () => {
  const { ready, rest } = await prepareThree({
    composeEmails: async ({ mails }) => mails.slice(0, 1).map(({ email }) => composed(email)),
    claimMs: 6,
  });
  assert.deepEqual([ready.length, rest.length], [1, 2]);
});
