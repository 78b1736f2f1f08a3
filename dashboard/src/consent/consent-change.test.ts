import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConsentDraft, consentChange } from './consent-change.ts';

const draft: ConsentDraft = { channel: 'email', topic: ' ', status: 'subscribed', method: 'form', source: ' Shop ', text: '', ip: '' };

test('changes one channel, or one topic of it, with the given evidence', () => {
  assert.deepEqual(consentChange(draft), {
    change: { email: { status: 'subscribed', method: 'form', evidence: { source: 'Shop' } } },
    path: '/email',
  });
  assert.deepEqual(consentChange({ ...draft, channel: 'sms', topic: 'news', status: 'unsubscribed', source: '' }), {
    change: { topics: { news: { sms: { status: 'unsubscribed', method: 'form' } } } },
    path: '/topics/news/sms',
  });
});

test('clears the recorded consent when no status is chosen', () => {
  assert.deepEqual(consentChange({ ...draft, status: '' }).change, { email: null });
});
