import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import { definitionProblems } from './definition-problems.ts';
import { Step } from './step.ts';

/** CPU time in milliseconds: far more than any case needs, and far less than quadratic work would take. */
const maxMs = 3_000;

function within<T>(work: () => T): T {
  const clock = startCpuClock();
  const result = work();
  const took = clock();
  assert.ok(took < maxMs, `it took ${Math.round(took)} ms`);
  return result;
}

test('the largest steps are checked quickly, even if crafted to be slow', async (t) => {
  const mebibyte = 1_048_576 - 1_000;
  for (const piece of ['{{', '{{ ', ' ', '}', '{{a', '{{ contact.id }}']) {
    const text = `{{${piece.repeat(mebibyte / piece.length)}`;
    await t.test(`a webhook's body of ${piece}`, () => {
      within(() => definitionProblems([Step.parse({ id: 'hook', type: 'webhook', url: 'https://example.com/', body: text })]));
    });
  }
});
