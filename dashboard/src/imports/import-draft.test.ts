import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOnlyColumns } from '@mp/contracts/import-columns';
import { choicesByName, keyOf, mappingOf, targetWords, undecidedIn } from './import-draft.ts';

test('columns with a known name are matched, and the others are left to be decided, also when an export has columns of that name', () => {
  const columns = ['E-Mail', 'Town', 'attributes.seats:number', 'attributes.plan', 'id', 'status', ''];
  const choices = choicesByName(columns);
  assert.deepEqual(undecidedIn(columns, choices), ['Town', 'id', 'status']);
  assert.deepEqual(mappingOf(choices), {}, 'the names alone say it all');
});

test('what our own files have for reading needs no decision', () => {
  const columns = ['row', 'field', 'code', 'error_message', ...readOnlyColumns, 'email', 'message', 'Town'];
  const choices = choicesByName(columns);
  assert.deepEqual(undecidedIn(columns, choices), ['message', 'Town']);
  assert.deepEqual(mappingOf(choices), {});
});

test('the mapping has what differs from the names, so that a file may have many columns, and several without a name', () => {
  assert.deepEqual(
    mappingOf({
      Mail: { fills: 'field', field: 'email' },
      Post: { fills: 'field', field: 'address.line1' },
      Notes: { fills: 'nothing' },
      '': { fills: 'nothing' },
      Phone: { fills: 'nothing' },
      'First name': { fills: 'field', field: 'last_name' },
      'attributes.plan': { fills: 'attribute', key: 'plan', type: 'string' },
      'No. of seats': { fills: 'attribute', key: keyOf('No. of seats'), type: 'number' },
    }),
    {
      Post: 'address.line1',
      Phone: null,
      'First name': 'last_name',
      'attributes.plan': 'attributes.plan:string',
      'No. of seats': 'attributes.no_of_seats:number',
    },
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
