import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventLabel, eventNamed, eventPhrase, eventWords } from './event-labels.ts';

test('events of LeadPulse have names in words, and are found by them; those of the account keep theirs', () => {
  assert.deepEqual(['$pageview', 'order_placed'].map(eventLabel), ['Page view', 'order_placed']);
  for (const name of ['$pageview', '$identify', '$engagement', '$session_end', 'order_placed', '', '/pricing'])
    assert.equal(eventNamed(eventLabel(name)), name);
  assert.equal(eventNamed(' page view'), '$pageview');
});

test('an event of the account is written as people say it, in lists without quotes', () => {
  assert.deepEqual(['order_placed', '$pageview', 'Order Completed', '/pricing'].map(eventWords), [
    'Order placed',
    'Page view',
    'Order Completed',
    '/pricing',
  ]);
  assert.deepEqual(['order_placed', '$pageview'].map(eventPhrase), ['“Order placed”', 'Page view']);
});
