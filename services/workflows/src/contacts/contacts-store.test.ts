import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/parts';
import { createContactsStore } from './contacts-store.ts';

test('the projection of contacts ends as the newest revision says, also when a deleted one is back', async (t) => {
  const { mongo } = await testParts(t, 'workflows');
  const contacts = createContactsStore(mongo.db);
  await contacts.prepare();
  const [accountId, id] = [newId('account'), newId('contact')];
  const inTransaction = (work: Parameters<typeof mongo.transaction<unknown>>[1]) =>
    mongo.transaction({ correlationId: 'req_test', causationId: null }, work);
  const created = (revision: number) =>
    inTransaction((tx) => contacts.keep(tx, accountId, { id, email: `r${revision}@example.com`, revision }));
  const deleted = (revision: number) => inTransaction((tx) => contacts.forget(tx, accountId, id, revision));
  const isDeleted = async () => (await contacts.find(accountId, [id], [])).map((contact) => contact.deleted);

  await created(1);
  await deleted(2);
  await created(1);
  assert.deepEqual(await isDeleted(), [true], 'nothing late brings it back');
  await created(3);
  await deleted(2);
  assert.deepEqual(await isDeleted(), [false], 'the undone merge does');
  assert.equal((await contacts.find(accountId, [], ['r3@example.com'])).length, 1);
});

test('a merged contact is found as the one that it was merged into, however often that happened', async (t) => {
  const { mongo } = await testParts(t, 'workflows');
  const contacts = createContactsStore(mongo.db);
  await contacts.prepare();
  const accountId = newId('account');
  const [a, b, c] = [newId('contact'), newId('contact'), newId('contact')];
  const inTransaction = <T>(work: Parameters<typeof mongo.transaction<T>>[1]) =>
    mongo.transaction({ correlationId: 'req_test', causationId: null }, work);
  const forget = (id: string, revision: number, into?: string) => inTransaction((tx) => contacts.forget(tx, accountId, id, revision, into));

  assert.equal(await contacts.survivorOf(accountId, a), a, 'one that nothing was heard of');
  await forget(b, 2, c);
  await forget(a, 2, b);
  assert.equal(await contacts.survivorOf(accountId, a), c);
  assert.deepEqual(await inTransaction((tx) => contacts.keep(tx, accountId, { id: a, email: null, revision: 3 })), { isBack: true });
  assert.equal(await contacts.survivorOf(accountId, a), a, 'the merge was undone');
  assert.equal(await forget(a, 2, b), false, 'nothing late undoes that');
  await forget(c, 2);
  assert.equal(await contacts.survivorOf(accountId, b), undefined, 'the one it was merged into is deleted');
});
