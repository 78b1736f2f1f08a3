import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delimiterIn, parseCsv } from './csv.ts';

test('quotes, line ends and empty lines are read as they are meant', () => {
  assert.deepEqual(parseCsv('a,b\r\n"x, ""y""","two\nlines"\n\n,\nlast'), [['a', 'b'], ['x, "y"', 'two\nlines'], ['', ''], ['last']]);
});

test('of a beginning, the record that was cut off is left out', () => {
  assert.deepEqual(parseCsv('a;b\n1;2\n3', ';', false), [
    ['a', 'b'],
    ['1', '2'],
  ]);
});

test('columns are parted by what the first line has most of', () => {
  assert.deepEqual(['a,b,c;d\n;;;', 'a;b', 'a\tb', 'a|b|c', 'alone'].map(delimiterIn), [',', ';', '\t', '|', ',']);
});
