import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherSuggestions } from './other-suggestions.ts';

const shown = (search: string) =>
  otherSuggestions({
    options: [
      { value: 'order_placed', label: 'order_placed' },
      { value: 'signup', label: 'signup' },
    ],
    search,
    limit: 50,
  }).flatMap((one) => ('value' in one ? [one.value] : []));

test('suggests what matches, and nothing once it is typed', () => {
  assert.deepEqual(shown('order'), ['order_placed']);
  assert.deepEqual(shown('Order pl'), ['order_placed'], 'written as words');
  assert.deepEqual(shown('order_placed'), []);
  assert.deepEqual(shown(''), ['order_placed', 'signup']);
});
