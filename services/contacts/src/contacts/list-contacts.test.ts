import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { buildApp } from '../app.ts';

type Item = { id: string; created_at: string };

test('GET /v2/contacts', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  await guaranteeRoute(t, app, { method: 'GET', scope: 'contacts:read', url: () => '/v2/contacts' });

  const account = testClient(app);
  const created: Item[] = [];
  for (let index = 0; index < 12; index += 1) {
    const tags = index % 2 === 0 ? ['even'] : ['odd'];
    const consent = { email: { status: index % 3 === 0 ? 'unsubscribed' : 'subscribed' } };
    const response = await account.post('/v2/contacts', {
      email: `c${index}@example.com`,
      external_id: `x${index}`,
      tags,
      consent,
      attributes: { plan: index % 4 === 0 ? 'pro' : 'free', seats: index },
    });
    created.push(response.data);
  }
  const ids = (items: readonly Item[]) => items.map(({ id }) => id);
  const list = async (query: string) => (await account.get(`/v2/contacts?${query}`)).data.items;

  async function walk(query: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let cursor = ''; ; ) {
      const response = await account.get(`/v2/contacts?${query}${cursor && `&cursor=${cursor}`}`);
      assert.equal(response.status, 200, response.text);
      items.push(...response.data.items);
      const { next_cursor, has_more } = response.data.pagination;
      assert.equal(has_more, next_cursor !== null);
      assert.equal('link' in response.headers, has_more);
      if (!next_cursor) return items;
      cursor = next_cursor;
    }
  }

  await t.test('pages through everything once, newest first or as sorted', async () => {
    assert.deepEqual(ids(await walk('limit=5')), ids(created.toReversed()));
    assert.deepEqual(ids(await walk('limit=1&sort=created_at')), ids(created));
    assert.equal((await account.get('/v2/contacts?include=total_count&limit=1')).data.pagination.total_count, 12);
  });

  await t.test('filters by identifier, tag, status, attribute and time', async () => {
    assert.deepEqual(ids(await list('email=C3@Example.com')), [created[3]?.id]);
    assert.deepEqual(ids(await list('external_id=x4&sort=-updated_at&tag=even')), [created[4]?.id]);
    assert.equal((await list('tag=odd')).length, 6);
    const { data: phoned } = await account.put(`/v2/contacts/${created[5]?.id}`, { phone: '+49 30 901820' });
    for (const phone of ['%2B4930901820', '+4930901820', '%2B49%2030/90-18-20'])
      assert.deepEqual(await list(`phone=${phone}`), [phoned], 'in any notation');
    assert.equal((await list('status=unsubscribed')).length, 4);
    assert.equal((await list('attributes.plan=pro')).length, 3);
    assert.deepEqual(ids(await list('attributes.seats=7')), [created[7]?.id]);
    assert.deepEqual(
      ids(await list(`created_at[gte]=${created[4]?.created_at}&created_at[lt]=${created[6]?.created_at}&sort=created_at`)),
      [created[4]?.id, created[5]?.id],
    );
    assert.deepEqual(await list('tag=nobody'), []);
  });

  await t.test('rejects a day where a time is expected, and names the time', async () => {
    const { status, error } = await testClient(app).get('/v2/contacts?created_at[gte]=2026-01-01');
    const message = 'Expected a time in UTC or with an offset, such as 2026-01-01T00:00:00Z.';
    assert.deepEqual([status, error.details[0].path, error.details[0].message], [400, '/query/created_at[gte]', message]);
  });

  await t.test('rejects combinations without an index, and invalid parameters', async () => {
    for (const query of [
      'tag=odd&status=active',
      'tag=odd&sort=updated_at',
      'updated_at[gt]=2026-01-01T00:00:00Z',
      'attributes.plan=pro&attributes.seats=1',
      'limit=0',
      'limit=101',
      'limit=x',
      'sort=email',
      'created_at[gte]=yesterday',
      'attributes.$where=1',
      'email=nope',
      'phone=030901820',
      'tag=a&tag=b',
    ]) {
      const response = await account.get(`/v2/contacts?${query}`);
      assert.deepEqual([query, response.status, response.error?.code], [query, 400, 'VALIDATION_ERROR']);
    }
  });

  await t.test('the error about an unknown parameter names the nearest one', async () => {
    for (const [query, message] of [
      ['lmit=5', 'Unknown parameter: lmit. Did you mean "limit"?'],
      ['created_at[from]=2026-01-01T00:00:00Z', 'Unknown parameter: created_at[from]. Did you mean "created_at[gt]"?'],
      ['tags=vip', 'Unknown parameter: tags. Did you mean "tag"?'],
      ['nothing_like_it=1', 'Unknown parameter: nothing_like_it.'],
    ])
      assert.equal((await account.get(`/v2/contacts?${query}`)).error?.details[0].message, message);
  });

  await t.test('rejects cursors that are invented, modified, of another list or of another account', async () => {
    const cursor: string = (await account.get('/v2/contacts?limit=2')).data.pagination.next_cursor;
    const changed = `${cursor.startsWith('e') ? 'f' : 'e'}${cursor.slice(1)}`;
    for (const [client, query] of [
      [account, 'cursor=abc'],
      [account, `cursor=${changed}`],
      [account, `cursor=${cursor}&tag=odd`],
      [testClient(app), `cursor=${cursor}`],
    ] as const) {
      const response = await client.get(`/v2/contacts?${query}`);
      assert.deepEqual([response.status, response.error.details[0].code], [400, 'invalid_cursor']);
    }
    assert.equal((await account.get(`/v2/contacts?limit=7&cursor=${cursor}`)).status, 200, 'a cursor can continue with another page size');
  });

  await t.test('repeats no row and skips none that stays, with any filter and sort, while rows are added and removed', async () => {
    const queries = ['', 'sort=created_at', 'sort=updated_at', 'sort=-updated_at', 'tag=t', 'status=unsubscribed', 'attributes.k=v', 'q=p'];
    const since = encodeURIComponent(new Date(0).toISOString());
    queries.push(`created_at[gte]=${since}&sort=created_at&tag=t`, `updated_at[gt]=${since}&sort=-updated_at`);
    const row = (name: string) => ({
      email: `${name}@example.com`,
      tags: ['t'],
      attributes: { k: 'v' },
      consent: { email: { status: 'unsubscribed' as const } },
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ remove: fc.nat(9), add: fc.boolean() }), { minLength: 3, maxLength: 3 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(...queries),
        async (steps, limit, query) => {
          const own = testClient(app);
          const { data } = await own.post('/v2/contacts/batch', { contacts: Array.from({ length: 10 }, (_, index) => row(`p${index}`)) });
          const rows: string[] = data.results.map(({ id }: { id: string }) => id);
          const removed = new Set<string>();
          const seen: string[] = [];
          let cursor: string | null = '';
          for (let page = 0; cursor !== null; page += 1) {
            const response = await own.get(`/v2/contacts?limit=${limit}&${query}${cursor && `&cursor=${cursor}`}`);
            assert.equal(response.status, 200, response.text);
            seen.push(...response.data.items.map((item: Item) => item.id));
            cursor = response.data.pagination.next_cursor;
            const step = steps[page];
            const victim = step && rows[step.remove];
            if (victim && !removed.has(victim)) {
              await own.delete(`/v2/contacts/${victim}`);
              removed.add(victim);
            }
            if (step?.add) await own.post('/v2/contacts', row(`p-new${page}`));
          }
          assert.equal(new Set(seen).size, seen.length, 'a row was repeated');
          for (const id of rows) if (!removed.has(id)) assert.ok(seen.includes(id), 'a row was skipped');
        },
      ),
      { numRuns: 20 },
    );
  });
});

test('contacts are found by up to 100 ids at once; ids of another account and ids that do not exist are skipped', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  const [account, stranger] = [testClient(app), testClient(app)];
  const [ada, bob] = [
    await account.post('/v2/contacts', { email: 'ada@example.com' }),
    await account.post('/v2/contacts', { email: 'bob@example.com' }),
  ];
  const theirs = await stranger.post('/v2/contacts', { email: 'eve@example.com' });
  const idsIn = (...ids: string[]) => account.get(`/v2/contacts?limit=100&id[in]=${ids.join(',')}`);

  const found = await idsIn(bob.data.id, theirs.data.id, 'contact_0000000000000000000000', ada.data.id);
  assert.deepEqual(new Set(found.data.items.map(({ id }: Item) => id)), new Set([ada.data.id, bob.data.id]));
  for (const wrong of [await idsIn(''), await idsIn(...Array.from({ length: 101 }, (_, index) => `contact_${index}`))]) {
    assert.equal(wrong.status, 400, wrong.text);
    assert.match(wrong.body.error.details[0].path, /^\/query\/id\[in\]/);
  }
});
