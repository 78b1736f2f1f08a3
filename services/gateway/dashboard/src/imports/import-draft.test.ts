import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choicesByName, keyOf, mappingOf, targetWords, undecidedIn } from './import-draft.ts';

test('columns with a known name are matched, and the others are left to be decided', () => {
  const columns = ['E-Mail', 'Town', 'attributes.seats:number', 'attributes.plan', 'revision', ''];
  const choices = choicesByName(columns);
  assert.deepEqual(undecidedIn(columns, choices), ['Town']);
  assert.deepEqual(mappingOf(choices), {
    'E-Mail': 'email',
    'attributes.seats:number': 'attributes.seats:number',
    'attributes.plan': 'attributes.plan',
    revision: null,
    '': null,
  });
});

test('the mapping names every column that was decided about', () => {
  assert.deepEqual(
    mappingOf({
      Mail: { fills: 'field', field: 'email' },
      Notes: { fills: 'nothing' },
      'No. of seats': { fills: 'attribute', key: keyOf('No. of seats'), type: 'number' },
    }),
    { Mail: 'email', Notes: null, 'No. of seats': 'attributes.no_of_seats:number' },
  );
});

test('what a column became is shown in words', () => {
  assert.deepEqual(['address.city', 'attributes.seats:number', 'consent.topics', null].map(targetWords), [
    'City',
    'Attribute seats',
    'Topics',
    'Not imported',
  ]);
});
