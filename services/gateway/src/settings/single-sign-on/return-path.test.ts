import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeRequest } from '../oauth/authorization-request.ts';
import { returnPath } from './start-single-sign-on.ts';

test('a user who signs in to connect an application returns to its request, however long its state is', () => {
  const page = `/authorize?request=${encodeRequest(`client_id=client_1&state=${'x'.repeat(2_000)}`)}`;
  assert.equal(returnPath(page), page);
  assert.equal(returnPath(`/${'x'.repeat(9_000)}`), '/');
  for (const elsewhere of ['//thief.example', '/\\thief.example', 'https://thief.example', '/auth/sign-out'])
    assert.equal(returnPath(elsewhere), '/');
});
