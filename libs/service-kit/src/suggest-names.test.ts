import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { suggestNames } from './suggest-names.ts';

suggestNames();

const Person = z.strictObject({ first_name: z.string().optional(), role: z.enum(['viewer', 'editor']).optional() });
const messageOf = (value: unknown) => Person.safeParse(value).error?.issues[0]?.message;

test('suggests the nearest valid name for an unknown field or value, and none if no name is similar', () => {
  assert.equal(messageOf({ firstname: 'Ada' }), 'Unrecognized key: "firstname". Did you mean "first_name"?');
  assert.equal(messageOf({ zzz: 1 }), 'Unrecognized key: "zzz".');
  assert.equal(messageOf({ role: 'Editor' }), 'Invalid option: expected one of "viewer"|"editor". Did you mean "editor"?');
  assert.equal(messageOf({ role: 'owner-of-it-all' }), 'Invalid option: expected one of "viewer"|"editor"');
});
