import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@mp/contracts/errors';
import { rejectReadOnlyChanges } from './read-only.ts';

const before = { id: 'a', secrets: [{ last4: 'abcd' }], archived_at: null, name: 'One' };
const names = ['id', 'secrets', 'archived_at'];

test('read-only fields may be omitted or sent back unchanged, and other fields may change', () => {
  rejectReadOnlyChanges({}, before, names);
  rejectReadOnlyChanges({ ...structuredClone(before), name: 'Two' }, before, names);
});

test('a changed read-only field is rejected with its name and value', () => {
  for (const body of [{ id: 'b' }, { secrets: [] }, { archived_at: '2026-01-01T00:00:00.000Z' }]) {
    const [name = ''] = Object.keys(body);
    assert.throws(
      () => rejectReadOnlyChanges(body, before, names),
      (error) => {
        assert.ok(error instanceof ApiError);
        return error.code === 'VALIDATION_ERROR' && error.message.startsWith(`${name} is read-only; omit it or send it unchanged`);
      },
    );
  }
});
