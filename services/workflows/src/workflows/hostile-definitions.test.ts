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

test('many reads of many captured responses are checked quickly, and what an error lists is bounded', () => {
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
  const hooks = Array.from({ length: 99 }, (_, index) => ({
    ...{ id: `h${index}`, type: 'webhook', url: 'https://example.com/', next: index === 98 ? 'end' : `h${index + 1}` },
    capture: Object.fromEntries(names.map((name) => [name, '/value'])),
  }));
  const reading = (name: string) =>
    [...hooks, { id: 'end', type: 'webhook', url: 'https://example.com/', body: `{{responses.h98.n19}}`.repeat(45_000) + name }].map(
      (step) => Step.parse(step),
    );
  within(() => assert.deepEqual(definitionProblems(reading('')), []));
  const [problem] = within(() => definitionProblems(reading('{{responses.h98.none}}')));
  assert.equal(problem?.code, 'unknown_field');
  assert.ok((problem?.message.length ?? 0) < 2_000, `${problem?.message.length} characters`);
});
