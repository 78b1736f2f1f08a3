import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type IdKind, idPrefixes, isId, newId } from '@mp/ids';
import fc from 'fast-check';
import { normaliseExamples, type RecordedExamples } from './normalise-examples.ts';
import { keepUnchanged } from './unchanged-examples.ts';

const committed: RecordedExamples = JSON.parse(
  readFileSync(new URL('../../services/gateway/config/examples.json', import.meta.url), 'utf8'),
);
const recordedAt = new Date('2026-09-01T09:30:00.000Z');
const dayMs = 86_400_000;

/** The examples as another platform would return them: other IDs, secrets and times. */
function recordedElsewhere(examples: RecordedExamples, { days, ms }: { days: number; ms: number }): RecordedExamples {
  const made = new Map<string, string>();
  const another = (text: string, make: () => string) => made.get(text) ?? made.set(text, make()).get(text) ?? text;
  const kinds: readonly IdKind[] = Object.keys(idPrefixes).filter((kind): kind is IdKind => Object.hasOwn(idPrefixes, kind));
  const kindOf = (prefix: string) => kinds.find((kind) => idPrefixes[kind] === prefix) ?? 'contact';
  const secret = () => randomBytes(32).toString('base64url');
  const elsewhere = (text: string) =>
    text
      .replaceAll(/\b([a-z]+)_01[0-9a-z]{24}/g, (id, prefix: string) =>
        another(id, () => newId(kindOf(prefix)).replace(/^.*_/, `${prefix}_`)),
      )
      .replaceAll(/(mp_[a-z]+_|whsec_|token=|\/t\/[a-z]+\/)EXAMPLE/g, (_, start: string) => `${start}${secret()}0123456789`)
      .replaceAll(/^EXAMPLE0{36}$/g, secret)
      .replaceAll(/IMAGE0{19}/g, () => randomBytes(18).toString('base64url'))
      .replaceAll('https://marketing.example.com', 'http://127.0.0.1:43117')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (instantText) => {
        const instant = Date.parse(instantText);
        const isFar = Math.abs(instant - recordedAt.getTime()) > 100 * dayMs;
        return isFar ? instantText : new Date(instant + days * dayMs + (instant % dayMs === 0 ? 0 : ms)).toISOString();
      });
  return JSON.parse(JSON.stringify(examples), (_, value) => (typeof value === 'string' ? elsewhere(value) : value));
}

test('recordings of two platforms are normalised to the same bytes', () => {
  const shift = fc.record({ days: fc.integer({ min: 200, max: 2_000 }), ms: fc.integer({ min: 0, max: 1_200_000 }) });
  fc.assert(
    fc.property(shift, ({ days, ms }) => {
      const normalised = normaliseExamples(recordedElsewhere(committed, { days, ms }), new Date(recordedAt.getTime() + days * dayMs));
      const changed = Object.keys(committed).filter((id) => JSON.stringify(normalised[id]) !== JSON.stringify(committed[id]));
      assert.deepEqual([changed, Object.keys(normalised)], [[], Object.keys(committed)]);
    }),
    { numRuns: 10 },
  );
});

test('normalised IDs are valid and numbered in the order of their appearance', () => {
  const [first, second] = [newId('contact'), newId('contact')];
  const recorded = { listContacts: [{ status: 200, answer: [first, second, first] }] };
  const shown = normaliseExamples(recorded, recordedAt).listContacts?.[0]?.answer;
  assert.ok(shown.every((id: string) => isId('contact', id)));
  assert.equal(shown[0], shown[2]);
  assert.ok(shown[0] < shown[1]);
});

test('an example stays as it is while request, status and shape are equal', () => {
  const one = { body: { name: 'Ada' }, status: 200, answer: { state: 'queued', at: null, items: [{ count: 1 }] } };
  const keeps = (other: typeof one | object) => keepUnchanged({ run: [{ ...one, ...other }] }, { run: [one] }).run?.[0] === one;
  assert.ok(keeps({ answer: { state: 'sending', at: '2026-03-02', items: [{ count: 2 }, { count: 3 }] } }));
  assert.ok(keeps({ answer: { state: 'sending', at: null, items: [] } }));
  assert.ok(!keeps({ body: { name: 'Grace' } }), 'another request');
  assert.ok(!keeps({ status: 202 }), 'another status');
  assert.ok(!keeps({ answer: { state: 'queued', at: null } }), 'a field less');
  assert.ok(!keeps({ answer: { state: 'queued', at: null, items: [{ count: 1, share: 1 }] } }), 'a field more');
  assert.ok(!keeps({ answer: { state: 1, at: null, items: [] } }), 'another type');
});
