import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mistakeIn, placeOf } from './json-place.ts';

const text = `{
  "trigger": { "type": "manual" },
  "steps": [
    { "id": "a" },
    { "id": "b", "type": "dance" }
  ]
}`;
const lineAt = (position: number) => text.slice(0, position).split('\n').length;

test('finds the line of a value by its path, or of what contains it', () => {
  assert.equal(lineAt(placeOf(text, ['steps', 1, 'type'])), 5);
  assert.equal(lineAt(placeOf(text, ['steps', 0])), 4);
  assert.equal(lineAt(placeOf(text, ['steps', 0, 'type'])), 4);
  assert.equal(lineAt(placeOf(text, ['entry'])), 1);
  assert.equal(text.slice(placeOf(text, ['steps', 1, 'type'])).startsWith('"dance"'), true);
});

test('finds the mistake in text that is not JSON', () => {
  assert.equal(mistakeIn(text), undefined);
  const broken = text.replace('"manual" }', '"manual" ');
  const at = mistakeIn(broken) ?? 0;
  assert.ok(broken.slice(0, at).split('\n').length >= 2, `${at}`);
});
