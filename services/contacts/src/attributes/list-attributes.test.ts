import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { attributeKeys, fillAttributeKeys } from '../../test/attribute-keys.ts';
import { buildApp } from '../app.ts';

test('GET /v2/contacts/attributes', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: () => '/v2/contacts/attributes' });

  await t.test('lists every key with its type and how many contacts have it', async () => {
    const account = testClient(app);
    const seats = { plan: 'pro', seats: 3, trial: true, since: '2026-05-01', langs: ['en', 'fr', 'en'] };
    await account.post('/v2/contacts', { email: 'a@example.com', attributes: seats });
    await account.post('/v2/contacts', { email: 'b@example.com', attributes: { plan: 'free', seats: null } });
    const { data } = await account.get('/v2/contacts/attributes');
    assert.deepEqual(
      data.items.map(({ key, type, count }: { key: string; type: string; count: number }) => [key, type, count]),
      [
        ['langs', 'string_list', 1],
        ['plan', 'string', 2],
        ['seats', 'number', 1],
        ['since', 'date', 1],
        ['trial', 'boolean', 1],
      ],
    );
    const first = await account.get('/v2/contacts/attributes?limit=3');
    const rest = await account.get(`/v2/contacts/attributes?cursor=${first.data.pagination.next_cursor}`);
    assert.deepEqual([first.data.items.length, rest.data.items.length, rest.data.pagination.has_more], [3, 2, false]);
    assert.deepEqual((await testClient(app).get('/v2/contacts/attributes')).data.items, []);
  });

  await t.test('a key keeps its first type; a value of another type is rejected with both types named', async () => {
    const account = testClient(app);
    await account.post('/v2/contacts', { email: 'a@example.com', attributes: { seats: 3, since: '2026-05-01', note: 'x' } });
    for (const [attributes, path, both] of [
      [{ seats: '3' }, '/attributes/seats', /number.*text/],
      [{ seats: true }, '/attributes/seats', /number.*boolean/],
      [{ since: '2026-02-30' }, '/attributes/since', /ISO 8601 date.*text/],
      [{ since: 'soon' }, '/attributes/since', /date.*text/],
      [{ note: ['x'] }, '/attributes/note', /text.*list/],
    ] as const) {
      const response = await account.put('/v2/contacts', { email: 'a@example.com', attributes });
      assert.deepEqual([response.status, response.error.details[0].path, response.error.details[0].code], [400, path, 'wrong_type']);
      assert.match(response.error.message, both);
    }
    const dated = await account.put('/v2/contacts', {
      email: 'a@example.com',
      attributes: { note: '2026-05-01', since: '2026-06-01T10:00:00Z' },
    });
    assert.equal(dated.status, 200, 'text can look like a date');
    assert.equal((await testClient(app).post('/v2/contacts', { email: 'a@example.com', attributes: { seats: '3' } })).status, 201);
  });

  await t.test('a day that does not exist is text, even as the first value of its key', async () => {
    const account = testClient(app);
    const attributes = { never: '2026-02-30', leap: '2028-02-29', year: '2026' };
    await account.post('/v2/contacts', { email: 'a@example.com', attributes });
    const { items } = (await account.get('/v2/contacts/attributes')).data;
    const types = items.map(({ key, type }: Record<string, string>) => `${key} ${type}`);
    assert.deepEqual(types, ['leap date', 'never string', 'year string']);
  });

  await t.test('a rejected contact declares nothing, and a batch uses one type per key', async () => {
    const account = testClient(app);
    await account.post('/v2/contacts', { email: 'a@example.com' });
    await account.post('/v2/contacts', { email: 'a@example.com', attributes: { level: 'x' } });
    assert.deepEqual((await account.get('/v2/contacts/attributes')).data.items, []);
    const { data } = await account.post('/v2/contacts/batch', {
      contacts: [
        { email: 'b@example.com', attributes: { level: 1 } },
        { email: 'c@example.com', attributes: { level: 'two' } },
        { email: 'd@example.com', attributes: { level: 2 } },
      ],
    });
    assert.deepEqual([data.counts.created, data.results[1].error.path], [2, '/attributes/level']);
  });

  await t.test('a key beyond the limit of the account is rejected, and fails only the row that introduces it', async () => {
    const account = testClient(app);
    await fillAttributeKeys(parts, account, 1);
    const many = Array.from({ length: 600 }, (_, index) => ({ email: `m${index}@example.com` }));
    const wrong = { email: 'm550@example.com', attributes: { one: 1, two: 2 } };
    const last = { email: 'm560@example.com', attributes: { one: 1 } };
    const { status, data } = await account.post('/v2/contacts/batch', { contacts: many.with(550, wrong).with(560, last) });
    assert.deepEqual([status, data.counts.created, data.counts.error], [200, 599, 1]);
    assert.deepEqual([data.results[550].error.code, data.results[550].error.path], ['PLAN_LIMIT_EXCEEDED', '/attributes']);
    assert.equal(await attributeKeys(parts, account), 1_000);

    const single = await account.post('/v2/contacts', { email: 'single@example.com', attributes: { two: 2 } });
    assert.deepEqual([single.status, single.error.code], [403, 'PLAN_LIMIT_EXCEEDED']);
    const known = { email: 'single@example.com', attributes: { one: 1, key0: 2, two: null } };
    assert.equal((await account.post('/v2/contacts', known)).status, 201);
  });

  await t.test('of many concurrent new keys, exactly as many are accepted as there is room for', async () => {
    const account = testClient(app).patient();
    await fillAttributeKeys(parts, account, 3);
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        account.post('/v2/contacts', { email: `room${index}@example.com`, attributes: { [`room${index}`]: 1 } }),
      ),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 201, 201, ...Array(7).fill(403)]);
    assert.equal(await attributeKeys(parts, account), 1_000);
  });

  await t.test('the first of many concurrent writers decides the type for all', async () => {
    const account = testClient(app).patient();
    const values = [1, 'one', true, ['one'], '2026-05-01'];
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        account.post('/v2/contacts', { email: `r${index}@example.com`, attributes: { mixed: values[index % values.length] } }),
      ),
    );
    const kept = responses.filter(({ status }) => status === 201).map(({ data }) => data.attributes.mixed);
    const { data } = await account.get('/v2/contacts/attributes');
    assert.equal(data.items.length, 1);
    assert.equal(data.items[0].count, kept.length);
    assert.equal(new Set(kept.map((value) => typeof value)).size, 1);
    assert.ok(responses.every(({ status }) => status === 201 || status === 400));
  });

  await t.test('long values are found by their attribute, regardless of case', async () => {
    const account = testClient(app);
    const note = `Ä${'x'.repeat(999)}`;
    const { data } = await account.post('/v2/contacts', { email: 'a@example.com', attributes: { note, plan: 'Pro' } });
    assert.equal(data.attributes.note, note);
    assert.equal((await account.get(`/v2/contacts?attributes.note=${encodeURIComponent(note)}`)).data.items.length, 1);
    assert.equal((await account.get('/v2/contacts?attributes.plan=PRO')).data.items.length, 1);
  });
});
