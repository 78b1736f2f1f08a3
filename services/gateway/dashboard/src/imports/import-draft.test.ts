import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf, mappingOf, targetWords } from './import-draft.ts';

test('a mapping names what was chosen, and leaves the rest to its name', () => {
  assert.deepEqual(
    mappingOf({
      Mail: { fills: 'member', member: 'email' },
      Town: { fills: 'by name' },
      Notes: { fills: 'nothing' },
      'No. of seats': { fills: 'attribute', key: keyOf('No. of seats'), type: 'number' },
    }),
    { Mail: 'email', Notes: null, 'No. of seats': 'attributes.no_of_seats:number' },
  );
});

test('what a column became is told in words', () => {
  assert.deepEqual(['address.city', 'attributes.seats:number', 'consent.topics', null].map(targetWords), [
    'City',
    'Attribute seats',
    'consent.topics',
    'Left out',
  ]);
});
