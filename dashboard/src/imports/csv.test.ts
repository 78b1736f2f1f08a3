import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBeginning } from './csv.ts';

test('reads delimiters, quotes and line breaks in quoted cells, and skips empty records', () => {
  assert.deepEqual(readBeginning('a,b\r\n"x, ""y""","two\nlines"\r\n\r\n,\r\nlast,', true, 10).records, [
    ['a', 'b'],
    ['x, "y"', 'two\nlines'],
    ['last', ''],
  ]);
});

test('skips a record that is cut off at the end of the sample', () => {
  assert.deepEqual(readBeginning('a;b\n1;2\n3', false, 10).records, [
    ['a', 'b'],
    ['1', '2'],
  ]);
  assert.deepEqual(readBeginning('a;b\n1;2\n3;"four\nfi', false, 10).records.length, 2);
});

test('ignores delimiters inside quotes when it detects the delimiter', () => {
  const header = '"Name, first, last, title";Email;City\n"Lovelace, Ada";ada@example.com;London\n';
  assert.deepEqual(readBeginning(header, true, 10), {
    records: [
      ['Name, first, last, title', 'Email', 'City'],
      ['Lovelace, Ada', 'ada@example.com', 'London'],
    ],
    delimiter: ';',
  });
  assert.deepEqual(
    ['a,b,c\n1,2,3', 'a;b\n1;2', 'a\tb\n1\t2', 'a|b|c\n1|2|3', 'alone\n1'].map((text) => readBeginning(text, true, 10).delimiter),
    [',', ';', '\t', '|', ','],
  );
});

test('prefers a chosen delimiter over the detected one', () => {
  assert.deepEqual(readBeginning('a;b,c\n1;2,3', true, 10, ',').records[0], ['a;b', 'c']);
});
