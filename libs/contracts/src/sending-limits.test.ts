import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beyondLimits, SendingLimits } from './sending-limits.ts';

const email = { topic: 'news', sender: 'Ada@News.example.com' };

test('without limits, every topic and sender is allowed', () => {
  for (const limits of [undefined, null, SendingLimits.parse({})]) assert.equal(beyondLimits(limits, { ...email, topic: null }), undefined);
});

test('topics exclude other topics and emails without one', () => {
  const limits = SendingLimits.parse({ topics: ['news', 'tips'] });
  assert.equal(beyondLimits(limits, email), undefined);
  assert.match(beyondLimits(limits, { ...email, topic: 'offers' }) ?? '', /about offers; its topics are news, tips\./);
  assert.match(beyondLimits(limits, { ...email, topic: null }) ?? '', /without a topic/);
  assert.match(beyondLimits(SendingLimits.parse({ topics: [] }), email) ?? '', /its topics are none/);
});

test('senders are addresses or whole domains, whatever their case, and no other domain that ends the same', () => {
  const allows = (sender: string, senders: string[]) => beyondLimits(SendingLimits.parse({ senders }), { ...email, sender }) === undefined;
  assert.ok(allows('Ada@news.example.com', ['ADA@News.example.com']));
  assert.ok(allows('ada@news.example.com', ['@news.example.com']));
  assert.ok(!allows('ada@news.example.com', ['@example.com']));
  assert.ok(!allows('ada@evil-news.example.com', ['@news.example.com']));
  assert.ok(!allows('"x@news.example.com"@evil.example', ['@news.example.com']));
  assert.ok(!allows('bob@news.example.com', ['ada@news.example.com']));
});

test('what is neither an address nor a domain is refused', () => {
  for (const sender of ['news.example.com', 'a@', '@', 'a b@example.com']) {
    assert.equal(SendingLimits.safeParse({ senders: [sender] }).success, false, sender);
  }
});
