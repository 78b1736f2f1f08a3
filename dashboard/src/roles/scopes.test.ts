import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scopes } from '@mp/contracts/permissions';
import { scopeAreas } from './scopes.ts';

test('every scope of the API is in one area', () => {
  assert.deepEqual(scopeAreas.flatMap((area) => area.scopes.map(({ scope }) => scope)).toSorted(), [...scopes].sort());
});
