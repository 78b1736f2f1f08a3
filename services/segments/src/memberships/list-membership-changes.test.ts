import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { applyAll, backfillAll, contactWith, livingIn } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const berlin = { field: 'address.city', op: 'eq', value: 'Berlin' };
const atNoon = (day: number) => new Date(Date.UTC(2026, 4, day, 12));

type Change = { contact_id: string; change: string; at: string; cause: string; by: string | null };

test('GET /v2/segments/:id/changes', async (t) => {
  let now = atNoon(1);
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, (own) => buildApp(own, { clock: () => now }));
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'segments:read',
    url: async (client) => `/v2/segments/${(await client.post('/v2/segments', { name: 'One', definition: berlin })).data.id}/changes`,
  });
  const account = testClient(app, { principal_id: 'key_ada' });
  const contacts = Array.from({ length: 3 }, () => contactWith(livingIn('Berlin')));
  const [one, two, three] = contacts.map(({ id }) => id).sort();
  assert.ok(one && two && three);
  await applyAll(parts, built, account.accountId, contacts);
  const { data: segment } = await account.post('/v2/segments', { name: 'Berlin', definition: berlin });
  await backfillAll(built);
  // Several contacts enter and leave at the same moments, so that pages end among equal times.
  for (const [day, city] of [
    [2, 'Bonn'],
    [3, 'Berlin'],
    [4, 'Bonn'],
  ] as const) {
    now = atNoon(day);
    await applyAll(
      parts,
      built,
      account.accountId,
      contacts.map((contact) => ({ ...contact, ...livingIn(city), revision: day })),
    );
  }

  async function all(query: string): Promise<Change[]> {
    const found: Change[] = [];
    for (let cursor = ''; ; ) {
      const { data, status, text } = await account.get(`/v2/segments/${segment.id}/changes?${query}${cursor && `&cursor=${cursor}`}`);
      assert.equal(status, 200, text);
      found.push(...data.items);
      if (!data.pagination.next_cursor) return found;
      cursor = data.pagination.next_cursor;
    }
  }
  const days = (changes: readonly Change[]) => changes.map(({ change, at }) => `${change} ${at.slice(8, 10)}`);
  const expected = [
    ...Array(3).fill('entered 01'),
    ...Array(3).fill('left 02'),
    ...Array(3).fill('entered 03'),
    ...Array(3).fill('left 04'),
  ];

  await t.test('pages through every change once, in either order', async () => {
    for (const limit of [1, 2, 4, 100]) {
      const ascending = await all(`sort=at&limit=${limit}`);
      assert.deepEqual(days(ascending), expected, `limit ${limit}`);
      assert.equal(new Set(ascending.map(({ contact_id, change, at }) => `${contact_id} ${change} ${at}`)).size, 12);
      assert.deepEqual(await all(`limit=${limit}`), ascending.toReversed(), 'newest first by default');
    }
  });

  await t.test('returns the changes of a period, from its start and before its end', async () => {
    assert.deepEqual(days(await all(`sort=at&from=${atNoon(2).toISOString()}&to=${atNoon(3).toISOString()}`)), expected.slice(3, 6));
    assert.deepEqual(await all(`from=${atNoon(5).toISOString()}`), []);
  });

  await t.test('names the cause of each change, and the caller who made it', async () => {
    const causes = (await all('sort=at')).map(({ cause, by }) => [cause, by]);
    assert.deepEqual(
      [causes[0], causes[3]],
      [
        ['definition', null],
        ['contact', null],
      ],
    );
    const { data: list } = await account.post('/v2/segments', { name: 'List', kind: 'static' });
    await account.post(`/v2/segments/${list.id}/contacts`, { contacts: [{ id: one }] });
    const { data } = await account.get(`/v2/segments/${list.id}/changes`);
    const [{ contact_id, change, cause, by }] = data.items;
    assert.deepEqual([contact_id, change, cause, by], [one, 'entered', 'manual', 'key_ada']);
  });
});
