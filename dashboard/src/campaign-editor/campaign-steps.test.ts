import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepAfter, stepOf, stepSearch } from './campaign-steps.ts';

test('an error leads to the step that has its field', () => {
  assert.deepEqual(
    [
      'from.email',
      'audience.include',
      'subject',
      'throttle_per_minute',
      'utm.source',
      'conversion.event',
      'ab_test.variants',
      'unknown',
    ].map(stepOf),
    ['audience', 'audience', 'content', 'settings', 'settings', 'settings', 'settings', 'audience'],
  );
});

test('the steps follow each other, and the URL names one', () => {
  assert.equal(stepAfter('audience'), 'content');
  assert.equal(stepAfter('review'), 'review');
  assert.deepEqual([stepSearch({ step: 'content' }), stepSearch({ step: 'nowhere' })], [{ step: 'content' }, {}]);
});
