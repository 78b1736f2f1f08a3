import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayUse } from './may-use.ts';

test('built-in roles are limited by their permission, and custom roles also by their scopes', () => {
  const [viewer, editor] = [{ permission: 'read_only', scopes: null } as const, { permission: 'read_write', scopes: null } as const];
  assert.deepEqual(
    [mayUse(viewer, 'contacts:read'), mayUse(viewer, 'contacts:export'), mayUse(viewer, 'campaigns:send')],
    [true, false, false],
  );
  assert.deepEqual(
    [mayUse(editor, 'campaigns:send'), mayUse(editor, 'webhooks:write'), mayUse(editor, 'settings:read')],
    [true, false, false],
  );
  const author = { permission: 'read_write', scopes: ['campaigns:write'] } as const;
  assert.deepEqual(
    [mayUse(author, 'campaigns:write'), mayUse(author, 'campaigns:send'), mayUse(author, 'contacts:read')],
    [true, false, false],
  );
  const officer = { permission: 'admin', scopes: ['settings:read'] } as const;
  assert.deepEqual([mayUse(officer, 'settings:read'), mayUse(officer, 'settings:keys')], [true, false]);
});
