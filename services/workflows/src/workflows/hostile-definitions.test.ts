import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import { definitionProblems } from './definition-problems.ts';
import { Step } from './step.ts';

/** Of computing: far more than any of them needs, and far less than what grows with the square of the size. */
const mostMs = 3_000;

function within<T>(work: () => T): T {
  const clock = startCpuClock();
  const result = work();
  const took = clock();
  assert.ok(took < mostMs, `it took ${Math.round(took)} ms`);
  return result;
}

test('the largest steps, made to take long, do not', async (t) => {
  const mebibyte = 1_048_576 - 1_000;
  for (const piece of ['{{', '{{ ', ' ', '}', '{{a', '{{ contact.id }}']) {
    const text = `{{${piece.repeat(mebibyte / piece.length)}`;
    await t.test(`a webhook's body of ${piece}`, () => {
      within(() => definitionProblems([Step.parse({ id: 'hook', type: 'webhook', url: 'https://example.com/', body: text })]));
    });
  }
});
