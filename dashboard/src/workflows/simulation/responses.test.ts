import assert from 'node:assert/strict';
import { test } from 'node:test';
import { responseWith } from './responses.ts';

test('puts each value where its pointer expects it', () => {
  const capture = { score: '/score', plan: '/account/plan', seats: '/account/seats', odd: '/a~1b/c~0d' };
  assert.deepEqual(responseWith(capture, { score: '42', plan: 'pro', seats: ' 3 ', odd: 'yes' }), {
    score: 42,
    account: { plan: 'pro', seats: 3 },
    'a/b': { 'c~d': 'yes' },
  });
});

test('without a value there is no response', () => {
  assert.equal(responseWith({ score: '/score' }, {}), undefined);
  assert.equal(responseWith({ score: '/score' }, { score: ' ', other: '1' }), undefined);
});
