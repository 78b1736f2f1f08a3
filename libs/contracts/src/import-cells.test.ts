import assert from 'node:assert/strict';
import { test } from 'node:test';
import { booleanIn, countryIn, dayIn, jsonIn, listIn, namesIn } from './import-cells.ts';

test('a date is read in the order that is given, and only if it is a day of the calendar', () => {
  assert.equal(dayIn('31.12.2026', 'dmy'), '2026-12-31');
  assert.equal(dayIn('12/31/2026', 'mdy'), '2026-12-31');
  assert.equal(dayIn('2026/12/31', 'ymd'), '2026-12-31');
  assert.equal(dayIn('3. 4. 2026', 'dmy'), '2026-04-03');
  assert.equal(dayIn('1-2-2026 14:30', 'dmy'), '2026-02-01');
  assert.deepEqual([dayIn('5.6.31', 'dmy', 2026), dayIn('5.6.71', 'dmy', 2026)], ['2031-06-05', '1971-06-05']);
  for (const [cell, order] of [
    ['31.12.2026', 'mdy'],
    ['30.02.2026', 'dmy'],
    ['2026-12-31', 'dmy'],
    ['soon', 'dmy'],
    ['1.2', 'dmy'],
  ] as const)
    assert.equal(dayIn(cell, order), undefined, cell);
});

test('a full name is split into first and last name, with the particles of the last', () => {
  const split = (text: string) => Object.values(namesIn(text));
  assert.deepEqual(split('Ada Lovelace'), ['Ada', 'Lovelace']);
  assert.deepEqual(split(' Lovelace,  Ada '), ['Ada', 'Lovelace']);
  assert.deepEqual(split('Ludwig van Beethoven'), ['Ludwig', 'van Beethoven']);
  assert.deepEqual(split('Ursula von der Leyen'), ['Ursula', 'von der Leyen']);
  assert.deepEqual(split('Johann Sebastian Bach'), ['Johann Sebastian', 'Bach']);
  assert.deepEqual(split('Van Morrison'), ['Van', 'Morrison']);
  assert.deepEqual(namesIn('Cher'), { first_name: 'Cher' });
  assert.deepEqual(namesIn('  '), {});
});

test('yes and no are read in ten languages, and nothing else', () => {
  for (const word of ['Yes', 'JA', 'oui', 'sí', 'sì', 'sim', 'tak', 'sant', 'はい', 'true', '1']) assert.equal(booleanIn(word), true, word);
  for (const word of ['no', 'Nein', 'non', 'não', 'nee', 'nie', 'nej', 'いいえ', 'FALSE', '0']) assert.equal(booleanIn(word), false, word);
  for (const word of ['', 'maybe', '2', 'yes no']) assert.equal(booleanIn(word), undefined, word);
});

test('countries are read by code and by name in ten languages', () => {
  const names = [
    'de',
    'Germany',
    'Deutschland',
    'Allemagne',
    'Alemania',
    'Germania',
    'Alemanha',
    'Duitsland',
    'Niemcy',
    'Tyskland',
    'ドイツ',
  ];
  for (const name of names) assert.equal(countryIn(name), 'DE', name);
  assert.deepEqual(['Österreich', 'Osterreich', 'USA', 'UK', 'Côte d’Ivoire'].map(countryIn), ['AT', 'AT', 'US', 'GB', 'CI']);
  for (const other of ['', 'Berlin', 'XX', 'European Union', 'EU']) assert.equal(countryIn(other), undefined, other);
});

test('a list is read from JSON, or between semicolons and commas', () => {
  assert.deepEqual(listIn('vip; berlin, trial,'), ['vip', 'berlin', 'trial']);
  assert.deepEqual(listIn('["a;b", "c"]'), ['a;b', 'c']);
  assert.deepEqual(listIn('[a; b'), ['[a', 'b']);
  assert.deepEqual([jsonIn('{"news": true}'), jsonIn('news')], [{ news: true }, 'news']);
});
