import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccountId, createdAt, firstIdAt, isId, newId, type PrincipalId } from './ids.ts';

test('an ID contains its kind and sorts by creation time', async () => {
  const ids = Array.from({ length: 50 }, () => newId('contact'));
  assert.ok(ids.every((id) => isId('contact', id) && !isId('account', id)));
  assert.deepEqual(ids.toSorted(), ids);
  for (const text of ['', 'contact', 'contact_1', `${ids[0]}0`, ids[0]?.toUpperCase() ?? ''])
    assert.equal(isId('contact', text), false, text);
});

test('the first id of a moment separates earlier ids from later ones', () => {
  const [before, now, after] = [-1_000, 0, 1_000].map((ms) => firstIdAt('contact', new Date(Date.now() + ms)));
  const id = newId('contact');
  assert.deepEqual([after, id, before].toSorted(), [before, id, after]);
  assert.ok(isId('contact', now ?? ''));
  assert.equal(firstIdAt('contact', new Date(1)) < firstIdAt('contact', new Date(2)), true);
});

test('an ID tells when it was made', () => {
  const at = new Date('2026-11-27T10:42:00.123Z');
  assert.deepEqual(createdAt(firstIdAt('event', at)), at);
  assert.ok(Math.abs(createdAt(newId('event')).getTime() - Date.now()) < 1_000);
});

test('the ids of two kinds cannot be swapped by mistake', () => {
  const ofAccount = (id: AccountId) => id;
  const ofPrincipal = (id: PrincipalId) => id;
  ofAccount(newId('account'));
  for (const id of [newId('key'), newId('client'), newId('user')]) ofPrincipal(id);
  // @ts-expect-error A contact is not an account.
  ofAccount(newId('contact'));
  // @ts-expect-error Text from a request is not known to be an id.
  ofAccount('account_1');
  // @ts-expect-error A contact makes no requests.
  ofPrincipal(newId('contact'));
});
