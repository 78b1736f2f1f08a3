import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '@mp/contracts/contact';
import { AccountsWithContacts, ContactsFind, ContactsPage } from '@mp/contracts/requests/contacts';
import { createParts } from '@mp/service-kit/service-parts';
import { testClient } from '@mp/test-kit/client';
import { testInfra } from '@mp/test-kit/infra';
import { contextKeys, cursorKeys, testNamespace, testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { applyAll, backfillAll, contactWith, livingIn } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';
import { createRebuild } from './rebuild-profiles.ts';

const berlin = { field: 'address.city', op: 'eq', value: 'Berlin' };

test('lost profiles are rebuilt from contacts', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp, { live: true });
  const account = testClient(app);
  const { accountId } = account;

  // Stands in for the contacts service, on its own connection.
  const { mongoUrl, natsUrl } = await testInfra();
  const keys = { CONTEXT_KEYS: contextKeys, CURSOR_KEYS: cursorKeys };
  const { broker } = createParts({
    ...keys,
    name: 'contacts',
    NAMESPACE: testNamespace,
    MONGODB_URL: mongoUrl,
    NATS_URL: natsUrl,
    LOG_LEVEL: 'silent',
  });
  broker.start();
  t.after(() => broker.stop());
  let truth: Contact[] = Array.from({ length: 240 }, (_, index) => contactWith(livingIn(index % 3 === 0 ? 'Berlin' : 'Bonn')));
  await broker.reply(AccountsWithContacts, async () => ({ account_ids: truth.length > 0 ? [accountId] : [], next: null }));
  await broker.reply(ContactsFind, async ({ ids }) => ({ contacts: truth.filter(({ id }) => ids.includes(id)) }));
  await broker.reply(ContactsPage, async ({ after, limit }) => {
    const sorted = truth.filter(({ id }) => after === null || id > after).sort((a, b) => (a.id < b.id ? -1 : 1));
    const contacts = sorted.slice(0, limit);
    return { contacts, next: contacts.length === limit ? (contacts.at(-1)?.id ?? null) : null };
  });

  const rebuild = createRebuild({ ...parts, ...built });
  const { data: segment } = await account.post('/v2/segments', { name: 'Berlin', definition: berlin });
  await backfillAll(built);
  const profiles = parts.mongo.db.collection('profiles');
  const memberIds = async () =>
    (await built.memberships.page(accountId, segment.id, { when: 'now', after: null, limit: 1_000 })).map(({ contactId }) => contactId);
  const events = async () => (await writtenEvents(parts.mongo.db, { accountId })).length;
  const inBerlin = () =>
    truth
      .filter(({ address }) => address?.city === 'Berlin')
      .map(({ id }) => id)
      .sort();

  await t.test('from an empty collection, including memberships', async () => {
    assert.deepEqual(await rebuild(), { accounts: 1, contacts: 240, removed: 0 });
    assert.deepEqual(await memberIds(), inBerlin());
    assert.equal(await events(), 80);
  });

  await t.test('again, publishing only what has changed in the meantime', async () => {
    await profiles.deleteMany({});
    const [first, second] = truth;
    assert.ok(first && second);
    truth = truth.slice(1).map((contact) => (contact === second ? { ...second, ...livingIn('Berlin'), revision: 2 } : contact));
    assert.deepEqual(await rebuild(), { accounts: 1, contacts: 239, removed: 1 });
    assert.deepEqual(await memberIds(), inBerlin());
    assert.equal(await events(), 82, 'one contact left and one entered');
    assert.equal(
      (
        await built.profiles.find(
          accountId,
          truth.map(({ id }) => id),
        )
      ).size,
      239,
    );
  });

  await t.test('a profile newer than the page it is compared with is kept', async () => {
    const [one] = truth;
    assert.ok(one);
    await applyAll(parts, built, accountId, [{ ...one, ...livingIn('Köln'), revision: 9 }]);
    await rebuild();
    assert.equal((await built.profiles.findOne(accountId, one.id))?.revision, 9);
  });

  await t.test('for an account whose contacts have all been deleted', async () => {
    truth = [];
    assert.deepEqual(await rebuild(), { accounts: 1, contacts: 0, removed: 239 });
    assert.deepEqual(await memberIds(), []);
  });
});
