import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterLabel } from './filter-label.ts';

test('a filter is one line of words', () => {
  const plan = { field: 'data.attributes.plan', op: 'eq' as const, value: 'pro' };
  const cause = { field: 'cause', op: 'ne' as const, value: 'import' };
  const email = { field: 'data.email', op: 'exists' as const };
  assert.equal(filterLabel(plan), 'attributes.plan is “pro”');
  assert.equal(
    filterLabel({ all: [plan, { any: [cause, { not: email }] }] }),
    'attributes.plan is “pro” and (cause is not “import” or not email has a value)',
  );
});
