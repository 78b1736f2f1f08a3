import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countryName, languageName } from './locale-names.ts';

test('countries and languages have names, and what is none stays as it is', () => {
  assert.deepEqual(['DE', 'Germany', ''].map(countryName), ['Germany', 'Germany', '']);
  assert.deepEqual(['en-GB', 'de', 'Klingon, please'].map(languageName), ['British English', 'German', 'Klingon, please']);
});
