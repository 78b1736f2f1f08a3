import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConsentDraft, consentChange } from './consent-change.ts';

const draft: ConsentDraft = { channel: 'email', topic: ' ', status: 'subscribed', method: 'form', source: ' Shop ', text: '', ip: '' };

test('a change names one channel, as a whole or about a topic, with the evidence that was given', () => {
  assert.deepEqual(consentChange(draft), {
    change: { email: { status: 'subscribed', method: 'form', evidence: { source: 'Shop' } } },
    path: '/email',
  });
  assert.deepEqual(consentChange({ ...draft, channel: 'sms', topic: 'news', status: 'unsubscribed', source: '' }), {
    change: { topics: { news: { sms: { status: 'unsubscribed', method: 'form' } } } },
    path: '/topics/news/sms',
  });
});

test('no status forgets what is known', () => {
  assert.deepEqual(consentChange({ ...draft, status: '' }).change, { email: null });
});
