import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Line, Name } from './text.ts';

test('a name and a line have no control characters, and are trimmed and normalized', () => {
  for (const schema of [Name(10), Line(10)]) {
    for (const control of ['\0', '\n', '\r', '\t', '\u001b', '\u007f', '\u0085', '\u009b'])
      assert.equal(schema.safeParse(`a${control}b`).success, false, JSON.stringify(control));
    assert.equal(schema.parse(' Cafe\u0301\n'), 'Caf\u00e9');
    assert.equal(schema.safeParse('a'.repeat(11)).success, false);
  }
  assert.deepEqual([Name(10).safeParse(' \n').success, Line(10).parse(' ')], [false, '']);
});
