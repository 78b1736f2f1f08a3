import assert from 'node:assert/strict';
import { test } from 'node:test';
import { senderAddresses } from './sender-addresses.ts';

test('a sender is suggested from those of earlier campaigns, then from the verified domains', () => {
  const used = ['news@example.com', 'news@example.com', 'no-reply@example.com'];
  const suggested = (typed: string) => senderAddresses(typed, used, ['example.com', 'example.org']);
  assert.deepEqual(suggested(''), ['news@example.com', 'no-reply@example.com', 'no-reply@example.org']);
  assert.deepEqual(suggested('ada@e').slice(2), ['ada@example.com', 'ada@example.org']);
  assert.ok(!suggested('news@example.com').includes('news@example.com'), 'what is typed is not suggested again');
});
