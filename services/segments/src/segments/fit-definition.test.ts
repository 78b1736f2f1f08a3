import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttributeTypesOf } from '@mp/contracts/requests/contacts';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { applyAll, contactWith, untilReady } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

test('a definition is checked against the types of the account’s attributes', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp, { live: true });
  const account = testClient(app);
  const zip = (value: unknown) => ({ field: 'attributes.zip', op: 'eq', value });
  const seats = (value: unknown) => ({ field: 'attributes.seats', op: 'eq', value });

  await t.test('is accepted unchanged while the types are unavailable', async () => {
    const { status, data } = await account.post('/v2/segments', { name: 'Early', definition: zip(10_115) });
    assert.deepEqual([status, data.definition], [201, zip(10_115)]);
  });

  await parts.broker.reply(AttributeTypesOf, async ({ keys }) => ({
    types: Object.fromEntries([['zip', 'string'] as const, ['seats', 'number'] as const].filter(([key]) => keys.includes(key))),
  }));

  await t.test('does not warn about an attribute whose type it used, although no contact with it has arrived yet', async () => {
    const definition = { all: [zip(10_115), { field: 'attributes.zap', op: 'exists' }] };
    const created = await account.post('/v2/segments', { name: 'New attribute', definition });
    const of = ({ path, code, nearest }: { path: string; code: string; nearest: string | null }) => [path, code, nearest];
    const expected = [['/definition/all/1/field', 'unknown_attribute', 'zip']];
    assert.deepEqual([created.data.definition.all[0], created.data.warnings.map(of)], [zip('10115'), expected]);
    for (const response of [
      await account.get(`/v2/segments/${created.data.id}`),
      await account.put(`/v2/segments/${created.data.id}`, { definition: { all: [...definition.all, { event: '$pageview' }] } }),
      await account.post('/v2/segments/preview', { definition }),
    ])
      assert.deepEqual(response.data.warnings.filter(({ code }: { code: string }) => code === 'unknown_attribute').map(of), expected);
  });

  await applyAll(parts, built, account.accountId, [contactWith({ attributes: { zip: '10115', seats: 5 } })]);

  await t.test('converts a value to the type of its attribute, and the response shows it', async () => {
    const definition = { all: [zip(10_115), seats('5')] };
    const fitted = { all: [zip('10115'), seats(5)] };
    const created = await account.post('/v2/segments', { name: 'Zip', definition });
    assert.deepEqual([created.status, created.data.definition], [201, fitted]);
    await untilReady(account, created.data.id);
    assert.equal((await account.get(`/v2/segments/${created.data.id}`)).data.count, 1);
    assert.equal((await account.post('/v2/segments/preview', { definition })).data.count, 1);
    const updated = await account.put(`/v2/segments/${created.data.id}`, { definition: { any: [seats('6')] } });
    assert.deepEqual(updated.data.definition, { any: [seats(6)] });
  });

  await t.test('rejects a value that could never match, naming its path and the type of the attribute', async () => {
    const definition = { all: [zip('x'), { not: seats('many') }] };
    for (const response of [
      await account.post('/v2/segments', { name: 'Never', definition }),
      await account.post('/v2/segments/preview', { definition }),
    ]) {
      assert.deepEqual([response.status, response.error.details[0].path], [400, '/definition/all/1/not/value']);
      assert.match(response.error.message, /attributes\.seats is a number/);
    }
  });

  await t.test('accepts an unchanged GET response, even if the type of an attribute has changed', async () => {
    const { data } = await account.get('/v2/segments?name=Early');
    const put = await account.put(`/v2/segments/${data.items[0].id}`, data.items[0]);
    assert.deepEqual([put.status, put.data.version], [200, 1], put.text);
  });
});
