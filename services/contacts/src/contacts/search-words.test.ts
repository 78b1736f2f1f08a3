import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aContact } from '@mp/test-kit/a-contact';
import fc from 'fast-check';
import { searchedWords, searchWordsOf } from './search-words.ts';

const nobody = { first_name: null, last_name: null, email: null, phone: null, external_id: null };
const finds = (members: object, text: string) => {
  const own = searchWordsOf(aContact({ ...nobody, ...members }));
  const words = searchedWords(text);
  return words.length > 0 && words.every((word) => own.some((one) => one.startsWith(word)));
};

test('a contact is found by the start of any of its words, and by nothing else', () => {
  const ada = {
    first_name: 'Ada',
    last_name: 'Lovelace-King',
    email: 'ada.l@mail.example.com',
    phone: '+4930901820',
    external_id: 'CRM-0042',
  };
  const found = ['ada', 'lov', 'KING', 'ada.l@mail', 'l@mail', 'example.co', '@mail.example.com', 'com', 'crm', 'crm-0042', '0042'];
  for (const text of [
    ...found,
    'king ada',
    'lovelace-k exa 42'.replace('42', '0042'),
    '4930',
    '+49 30/90 18',
    '030 901820',
    '030901',
    '(030) 90',
  ])
    assert.ok(finds(ada, text), text);
  for (const text of ['da', 'ovelace', 'ada bob', 'xample', '901820', '-', '.*', '@', '42 ada', '+1']) assert.ok(!finds(ada, text), text);
});

test('case and accents are ignored in every script, and both forms of a domain are found', () => {
  for (const [name, text] of [
    ['Zoë', 'ZOE'],
    ['Zoe', 'zoe\u0308'],
    ['Łukasz Strauß', 'łuk strauss'],
    ['Νίκος', 'ΝΙΚΟΣ'],
    ['Iğdır', 'igdir'],
    ['Igdir', 'IĞDIR'],
    ['İnci Işık', 'inci isik'],
    ['Łukasz', 'lukasz'],
    ['Lukasz', 'Łukasz'],
    ['Jørgen Sjælland', 'jorgen sjael'],
    ['Đorđe Đặng', 'dorde dang'],
    ['Þóra Hafþórsdóttir', 'thora hafthor'],
    ['Œuvrard', 'oeuv'],
    ['Ħamrun Šárka', 'hamr sarka'],
    ['Groß', 'GROSS'],
    ['李小龍', '李小'],
    ['🎉 Party', '🎉'],
  ] as const)
    assert.ok(finds({ first_name: name }, text), `${name} ${text}`);
  for (const text of ['jo@bücher.ex', 'bucher', 'xn--bcher']) assert.ok(finds({ email: 'jo@Bücher.example' }, text), text);
});

test('every prefix of every word of any text finds it; the index entries are bounded', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40, unit: 'grapheme' }), fc.nat(), fc.integer({ min: 1, max: 90 }), (text, pick, length) => {
      const words = text
        .split(/\s+/)
        .filter((part) => searchedWords(part).length > 0)
        .slice(0, 10);
      const word = words[pick % Math.max(words.length, 1)];
      const own = searchWordsOf(aContact({ ...nobody, last_name: text, email: 'x@example.com' }));
      assert.ok(own.length <= 50 && own.every((one) => Buffer.byteLength(one) <= 500), `${own.length}`);
      if (word === undefined) return;
      const start = Array.from(word).slice(0, length).join('');
      assert.ok(searchedWords(start).length === 0 || finds({ last_name: text }, start), JSON.stringify([text, start]));
    }),
    { numRuns: 300 },
  );
});
