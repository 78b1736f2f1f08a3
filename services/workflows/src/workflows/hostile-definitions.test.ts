import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import fc from 'fast-check';
import { mail } from '../../test/setting.ts';
import { unknownContactFields } from './contact-fields.ts';
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
  for (const piece of ['{{', '{%', '{{{%', '{{ "', `{{"'`, '{{ contact.', '{{ contact.id }}']) {
    await t.test(`a mail of ${piece}`, () => {
      within(() => definitionProblems([Step.parse({ ...mail, id: 'mail', html: piece.repeat(400_000 / piece.length) })]));
    });
  }
});

/** What the fields were found in before: right, but slow for templates that are made to be. */
const marked = /\{\{(.*?)\}\}|\{%(.*?)%\}/gs;

test('fields are found where one regular expression would find them', () => {
  const piece = fc.constantFrom('{', '{{', '}}', '}', '{%', '%}', '%', ' ', '\n', 'contact.a', ' contact.b ', 'x');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const template = pieces.join('');
      const named = [...template.matchAll(marked)].flatMap(([, output = '', tag = '']) =>
        [...`${output} ${tag}`.matchAll(/(?<![\w.-])contact\.([A-Za-z0-9_]+(?:\.[A-Za-z0-9_-]+)*)/g)].map(([, name = '']) => name),
      );
      assert.deepEqual(unknownContactFields(template), [...new Set(named)]);
    }),
    { numRuns: 2_000 },
  );
});
