import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOnlyColumns } from '@mp/contracts/import-columns';
import { choicesByName, keyOf, mappingOf, targetLabel, undecidedIn } from './column-mapping.ts';

test('matches columns by name and leaves the others undecided, even if an export has columns of that name', () => {
  const columns = ['E-Mail', 'Town', 'attributes.seats:number', 'attributes.plan', 'id', 'status', ''];
  const choices = choicesByName(columns);
  assert.deepEqual(undecidedIn(columns, choices), ['Town', 'id', 'status']);
  assert.deepEqual(mappingOf(choices), {}, 'columns that match by name need no mapping');
});

test('skips the read-only columns of exports and error files', () => {
  const columns = ['row', 'field', 'code', 'error_message', ...readOnlyColumns, 'email', 'message', 'Town'];
  const choices = choicesByName(columns);
  assert.deepEqual(undecidedIn(columns, choices), ['message', 'Town']);
  assert.deepEqual(mappingOf(choices), {});
});

test('maps only columns that differ from their names, so that wide files and unnamed columns work', () => {
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

test('names the field of each column', () => {
  assert.deepEqual(['address.city', 'attributes.seats:number', 'consent.topics', null].map(targetLabel), [
    'City',
    'Attribute seats',
    'Topics',
    'Not imported',
  ]);
});
