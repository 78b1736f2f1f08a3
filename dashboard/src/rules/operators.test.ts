import assert from 'node:assert/strict';
import { test } from 'node:test';
import { opsOf } from './operators.ts';

test('an attribute has the operators that can match its type', () => {
  assert.ok(opsOf('attributes.seats').includes('contains') && opsOf('attributes.seats').includes('gte'));
  assert.ok(!opsOf('attributes.seats', 'number').includes('contains'));
  assert.deepEqual(opsOf('attributes.trial', 'boolean'), ['eq', 'ne', 'exists', 'missing']);
  assert.ok(!opsOf('attributes.likes', 'string_list').includes('eq'));
});
