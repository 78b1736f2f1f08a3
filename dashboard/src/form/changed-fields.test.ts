import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedFields } from './changed-fields.ts';

test('contains the fields with another value, compared by content, and not those that are equal', () => {
  const before = { name: 'Ada', colors: { text: '#000000', background: '#ffffff' }, hosts: ['a.example'], footer: 'Hello' };
  const values = { name: 'Ada', colors: { background: '#ffffff', text: '#000000' }, hosts: [], footer: '' };
  assert.deepEqual(changedFields<typeof before>(before, values), { hosts: [], footer: '' });
});
