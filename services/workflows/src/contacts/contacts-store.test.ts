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
  const inTransaction = (work: Parameters<typeof mongo.transaction<void>>[1]) =>
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
