import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import { didYouMean, nearest } from './nearest.ts';

test('a misspelled name has the most similar one, whatever its case, and another text has none', () => {
  const known = ['last_name', 'first_name', 'city'];
  assert.equal(nearest(' Frist_Name ', known), 'first_name');
  assert.equal(didYouMean('frist_name', known), ' Did you mean "first_name"?');
  assert.equal(didYouMean('postcode', known), '');
  assert.equal(didYouMean('city', []), '');
});

test('a text that is too long to be a name costs nothing, however many names are known', () => {
  const known = Array.from({ length: 100 }, (_, index) => `name_${index}`);
  const text = 'x'.repeat(900_000);
  const clock = startCpuClock();
  assert.equal(didYouMean(text, known), '');
  assert.ok(clock() < 50, `${clock()} ms`);
});
