import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsIn, filterDraftOf, filterError, filterOf, noFilter } from './filter-draft.ts';

const plan = { field: 'data.attributes.plan', op: 'eq', value: 'pro' } as const;
const cause = { field: 'cause', op: 'ne', value: 'import' } as const;
const seats = { field: 'data.attributes.seats', op: 'in' as const, value: [5, 10] };
const present = { field: 'data.email', op: 'exists' } as const;

test('conditions are shown in rows without the prefix of the data, and saved as they were', () => {
  for (const filter of [null, plan, cause, { all: [plan, cause] }, { any: [seats, present] }]) {
    const draft = filterDraftOf(filter);
    assert.equal(typeof draft, 'object', JSON.stringify(filter));
    assert.deepEqual(filterOf(draft), filter);
  }
  assert.deepEqual(filterDraftOf(plan), { match: 'all', rows: [{ field: 'attributes.plan', op: 'eq', value: 'pro' }] });
  assert.deepEqual(filterDraftOf(null), noFilter);
});

test('a filter that rows cannot show stays JSON, unchanged', () => {
  for (const filter of [{ not: plan }, { all: [plan, { any: [cause, present] }] }]) {
    const draft = filterDraftOf(filter);
    assert.equal(typeof draft, 'string');
    assert.deepEqual(filterOf(draft), filter);
  }
});

test('incomplete conditions and text that is not a JSON object are errors', () => {
  assert.ok(filterError({ match: 'all', rows: [{ field: 'email', op: 'eq', value: '' }] }));
  assert.ok(filterError({ match: 'all', rows: [{ field: '', op: 'exists', value: '' }] }));
  for (const text of ['{', '[]', '1', 'null']) assert.ok(filterError(text), text);
  for (const draft of [noFilter, '', { match: 'any', rows: [{ field: 'email', op: 'exists', value: '' }] }] as const)
    assert.equal(filterError(typeof draft === 'string' ? draft : { match: draft.match, rows: [...draft.rows] }), null);
});

test('the fields of an example are suggested with their values', () => {
  const example = {
    id: 'event_1',
    type: 'contact.created',
    cause: 'api',
    data: { email: 'a@b.c', tags: ['vip'], address: { city: 'London' } },
  };
  assert.deepEqual(
    [...fieldsIn(example)],
    [
      ['type', 'contact.created'],
      ['cause', 'api'],
      ['email', 'a@b.c'],
      ['tags', 'vip'],
      ['address.city', 'London'],
    ],
  );
});
