import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches } from './matches.ts';

test('finds a text by the beginnings of its words, in any order and case', () => {
  assert.ok(matches('CAM new', 'New campaign'));
  assert.ok(matches('', 'New campaign'));
  assert.ok(!matches('paign', 'New campaign'), 'not in the middle of a word');
  assert.ok(!matches('new segment', 'New campaign'));
});
