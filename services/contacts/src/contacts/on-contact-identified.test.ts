import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identifierHashes } from '@mp/contracts/contact';
import { TraitsApplied } from '@mp/contracts/events/contacts';
import { ContactIdentified } from '@mp/contracts/events/leadpulse';
import { type AccountId, newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { buildApp } from '../app.ts';

test('a call to the Segment-compatible API creates or updates the contact that it names', async (t) => {
  const parts = await testParts(t, 'contacts');
  const received = await listenToEvents(t);
  const { app } = await testService(t, parts, buildApp, { live: true });

  const write = (accountId: AccountId, calls: readonly object[]) =>
    parts.mongo.transaction({ correlationId: 'test', causationId: null }, async (tx) => {
      for (const call of calls) {
        const named = {
          person: 'external:u1',
          contact_id: null,
          external_id: 'u1',
          email: null,
          fields: {},
          key: newId('activity'),
          received_at: new Date().toISOString(),
          ...call,
        };
        await parts.outbox.add(tx, ContactIdentified, accountId, { ...named, ...identifierHashes(accountId, named) });
      }
    });

  async function identify(
    accountId: AccountId,
    { key = newId('activity'), ...call }: { key?: string | undefined; [name: string]: unknown },
  ) {
    await write(accountId, [{ ...call, key }]);
    return (await received.next(TraitsApplied, ({ data }) => data.key === key)).data;
  }

  await t.test('by the external ID, with every field that is valid; the others are refused one by one', async () => {
    const account = testClient(app);
    const fields = {
      first_name: 'Ada',
      phone: '12',
      address: { city: 'London', country: 'Britain' },
      attributes: { plan: 'pro', 'no key': 1 },
    };
    const { contact_id, refused } = await identify(account.accountId, { email: 'ada@example.com', fields });
    const { data } = await account.get(`/v2/contacts/${contact_id}`);
    assert.deepEqual(
      [data.external_id, data.email, data.first_name, data.phone, data.address.city, data.attributes, data.source],
      ['u1', 'ada@example.com', 'Ada', null, 'London', { plan: 'pro' }, 'segment'],
    );
    assert.deepEqual(refused.map(({ path }) => path).sort(), ['/address/country', '/attributes/no key', '/phone']);
    const again = await identify(account.accountId, { email: 'ada@new.example', fields: { first_name: null, attributes: { plan: 7 } } });
    const { data: changed } = await account.get(`/v2/contacts/${contact_id}`);
    assert.deepEqual(
      [again.contact_id, changed.email, changed.first_name, changed.attributes.plan, again.refused.map(({ path }) => path)],
      [contact_id, 'ada@new.example', null, 'pro', ['/attributes/plan']],
    );
  });

  await t.test('by the email, if its contact has no external ID; the contact of another user keeps its email', async () => {
    const account = testClient(app);
    const { data: imported } = await account.post('/v2/contacts', { email: 'ada@example.com', source: 'crm' });
    const adopted = await identify(account.accountId, { email: 'Ada@example.com' });
    assert.deepEqual([adopted.contact_id, adopted.refused], [imported.id, []]);
    const second = await identify(account.accountId, { external_id: 'u2', email: 'ada@example.com', fields: { first_name: 'Eve' } });
    const { data: twin } = await account.get(`/v2/contacts/${second.contact_id}`);
    assert.deepEqual([twin.external_id, twin.email, twin.first_name], ['u2', null, 'Eve']);
    assert.deepEqual(
      second.refused.map(({ path }) => path),
      ['/email'],
    );
    const { data: kept } = await account.get(`/v2/contacts/${imported.id}`);
    assert.deepEqual([kept.external_id, kept.source], ['u1', 'crm']);
    const byId = await identify(account.accountId, { external_id: null, contact_id: imported.id, fields: { last_name: 'Lovelace' } });
    assert.deepEqual([byId.contact_id, byId.refused], [imported.id, []]);
  });

  await t.test('a call received before its contact was erased creates none', async () => {
    const account = testClient(app);
    const before = new Date().toISOString();
    const named = { external_id: 'u9', email: 'gone@example.com', fields: { first_name: 'Ada' } };
    const { contact_id } = await identify(account.accountId, named);
    assert.equal((await account.post(`/v2/contacts/${contact_id}/erase`, {})).status, 202);
    for (const call of [named, { ...named, email: null }, { ...named, external_id: null }]) {
      const late = await identify(account.accountId, { ...call, received_at: before });
      assert.deepEqual([late.contact_id, late.refused], [null, [{ path: '/', reason: 'The contact was erased after this call.' }]]);
    }
    const other = await identify(account.accountId, { external_id: 'u10', email: null, received_at: before });
    assert.ok(other.contact_id, 'another person');
    assert.equal((await account.get('/v2/contacts')).data.items.length, 1);
    const again = await identify(account.accountId, named);
    assert.ok(again.contact_id, 'a call after the erasure');
  });

  await t.test('field by field as the latest call says, even if an earlier one arrives after it', async () => {
    const account = testClient(app);
    const [first, second, third] = [newId('activity'), newId('activity'), newId('activity')].sort();
    const call = (key: string | undefined, email: string, fields: object) => identify(account.accountId, { key, email, fields });
    const { contact_id } = await call(second, 'new@example.com', { first_name: 'New', attributes: { plan: 'pro' } });
    await call(first, 'old@example.com', { first_name: 'Old', last_name: 'Kept', attributes: { plan: 'free', seats: 2 } });
    const read = async () => {
      const { data } = await account.get(`/v2/contacts/${contact_id}`);
      return [data.email, data.first_name, data.last_name, data.attributes];
    };
    assert.deepEqual(await read(), ['new@example.com', 'New', 'Kept', { plan: 'pro', seats: 2 }]);
    await call(third, 'third@example.com', { first_name: null, attributes: { plan: 'team' } });
    assert.deepEqual(await read(), ['third@example.com', null, 'Kept', { plan: 'team', seats: 2 }]);
  });

  await t.test('in the order of the calls, and never a contact of another account', async () => {
    const [one, two] = [testClient(app), testClient(app)];
    const calls = Array.from({ length: 20 }, (_, number) => ({ fields: { first_name: `Name ${number}` } }));
    await write(one.accountId, calls);
    const { contact_id } = await identify(one.accountId, {});
    const { data } = await one.get(`/v2/contacts/${contact_id}`);
    assert.equal(data.first_name, 'Name 19');
    const foreign = await identify(two.accountId, { external_id: null, contact_id, fields: { first_name: 'Mallory' } });
    assert.equal(foreign.contact_id, null);
    assert.equal((await one.get(`/v2/contacts/${contact_id}`)).data.first_name, 'Name 19');
    assert.equal((await identify(two.accountId, { email: 'not an email', external_id: null, person: 'email:x' })).contact_id, null);
  });
});
