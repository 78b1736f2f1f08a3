import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ContactId, newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import { createContactsStore } from './contacts-store.ts';

test('the contacts projection reflects the newest revision, even when a deleted contact is restored', async (t) => {
  const { mongo } = await testParts(t, 'workflows');
  const contacts = createContactsStore(mongo.db);
  await contacts.prepare();
  const [accountId, id] = [newId('account'), newId('contact')];
  const inTransaction = (work: Parameters<typeof mongo.transaction<unknown>>[1]) =>
    mongo.transaction({ correlationId: 'req_test', causationId: null }, work);
  const created = (revision: number) =>
    inTransaction((tx) => contacts.keep(tx, [{ accountId, id, email: `r${revision}@example.com`, revision }]));
  const deleted = (revision: number) => inTransaction((tx) => contacts.forget(tx, accountId, { id, revision }));
  const isDeleted = async () => (await contacts.find(accountId, [id], [])).map((contact) => contact.deleted);

  await created(1);
  await deleted(2);
  await created(1);
  assert.deepEqual(await isDeleted(), [true], 'a late event does not restore it');
  await created(3);
  await deleted(2);
  assert.deepEqual(await isDeleted(), [false], 'undoing the merge restores it');
  assert.equal((await contacts.find(accountId, [], ['r3@example.com'])).length, 1);
});

test('a merged contact resolves to its survivor, through any number of merges', async (t) => {
  const { mongo } = await testParts(t, 'workflows');
  const contacts = createContactsStore(mongo.db);
  await contacts.prepare();
  const accountId = newId('account');
  const [a, b, c] = [newId('contact'), newId('contact'), newId('contact')];
  const inTransaction = <T>(work: Parameters<typeof mongo.transaction<T>>[1]) =>
    mongo.transaction({ correlationId: 'req_test', causationId: null }, work);
  const forget = (id: ContactId, revision: number, into?: ContactId) =>
    inTransaction((tx) => contacts.forget(tx, accountId, { id, revision, mergedInto: into }));

  assert.equal(await contacts.survivorOf(accountId, a), a, 'an unknown contact');
  await forget(b, 2, c);
  await forget(a, 2, b);
  assert.equal(await contacts.survivorOf(accountId, a), c);
  assert.deepEqual(await inTransaction((tx) => contacts.keep(tx, [{ accountId, id: a, email: null, revision: 3 }])), new Set([a]));
  assert.equal(await contacts.survivorOf(accountId, a), a, 'the merge was undone');
  assert.equal(await forget(a, 2, b), false, 'a late event does not change that');
  await forget(c, 2);
  assert.equal(await contacts.survivorOf(accountId, b), undefined, 'its survivor is deleted');
});
