import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activeRemark } from './active-remark.ts';

test('no active contacts beside visitors are explained', () => {
  const counts = { active: 0, contacts: 500, visitors: 1_592, days: 30 };
  assert.equal(activeRemark(counts), '1,592 visitors, none known as a contact yet');
  assert.equal(activeRemark({ ...counts, visitors: 1 }), '1 visitor, none known as a contact yet');
  assert.equal(activeRemark({ ...counts, visitors: 0 }), '0% of contacts, seen in 30 days');
  assert.equal(activeRemark({ ...counts, active: 50 }), '10% of contacts, seen in 30 days');
});
