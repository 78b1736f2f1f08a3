import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversionLabel } from './conversion-labels.ts';

test('a conversion is named by its event and its window', () => {
  assert.equal(conversionLabel(null), 'Any event with a value, within 7 days of the last click');
  assert.equal(conversionLabel({ event: 'order_placed', window_days: 1 }), 'order_placed, within 1 day of the last click');
});
