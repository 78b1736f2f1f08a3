import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { applyAll, backfillAll, contactWith, livingIn, origin } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const city = (value: string) => ({ field: 'address.city', op: 'eq', value });
const atNoon = (day: number) => new Date(Date.UTC(2026, 4, day, 12));

test('GET /v2/segments/:id/contacts', async (t) => {
  let now = atNoon(1);
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, (own) => buildApp(own, { clock: () => now }));
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'segments:read',
    url: async (client) =>
      `/v2/segments/${(await client.post('/v2/segments', { name: 'One', definition: city('Berlin') })).data.id}/contacts`,
  });
  const account = testClient(app);
  const contacts = Array.from({ length: 7 }, (_, index) => contactWith({ ...livingIn('Berlin'), email: `c${index}@example.com` }));
  const [first, second] = contacts;
  assert.ok(first && second);
  await applyAll(parts, built, account.accountId, contacts);
  const { data: segment } = await account.post('/v2/segments', { name: 'Berlin', definition: city('Berlin') });
  await backfillAll(built);
  const list = (query = 'limit=100') => account.get(`/v2/segments/${segment.id}/contacts?${query}`);
  const ids = async (query?: string) => (await list(query)).data.items.map(({ id }: { id: string }) => id);
  const all = contacts.map(({ id }) => id).sort();

  await t.test('pages through every member once, with the documented fields', async () => {
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { data, headers } = await list(`limit=3&include=total_count${cursor && `&cursor=${cursor}`}`);
      assert.equal(data.pagination.total_count, 7);
      seen.push(...data.items.map(({ id }: { id: string }) => id));
      assert.equal(data.pagination.has_more, 'link' in headers);
      if (!data.pagination.next_cursor) break;
      cursor = data.pagination.next_cursor;
    }
    assert.deepEqual(seen, all);
    const member = (await list()).data.items.find(({ id }: { id: string }) => id === first.id);
    assert.deepEqual(member, {
      id: first.id,
      external_id: null,
      email: first.email,
      phone: null,
      first_name: null,
      last_name: null,
      tags: [],
      status: 'active',
      created_at: first.created_at,
      entered_at: new Date(now.getTime() + 1).toISOString(),
    });
  });

  await t.test('returns the members as of a time as they were at that time', async () => {
    assert.deepEqual(await ids(`limit=100&as_of=${now.toISOString()}`), all, 'also as of the time of its creation');
    now = atNoon(2);
    await applyAll(parts, built, account.accountId, [{ ...first, ...livingIn('Bonn'), revision: 2 }]);
    now = atNoon(3);
    const newcomer = contactWith(livingIn('Berlin'));
    await applyAll(parts, built, account.accountId, [newcomer]);
    now = atNoon(4);
    await applyAll(parts, built, account.accountId, [{ ...first, ...livingIn('Berlin'), revision: 3 }]);
    const without = all.filter((id) => id !== first.id);
    const asOf = (day: number) => ids(`limit=100&as_of=${atNoon(day).toISOString()}`);
    assert.deepEqual(await asOf(2), without);
    assert.deepEqual(await asOf(3), [...without, newcomer.id].sort());
    assert.deepEqual(await asOf(4), [...all, newcomer.id].sort());
    assert.deepEqual(await asOf(4), await ids());
    assert.deepEqual(await ids('as_of=2020-01-01T00:00:00Z'), []);
  });

  await t.test('returns the previous version while a new one is building', async () => {
    const before = await ids();
    now = atNoon(5);
    await account.put(`/v2/segments/${segment.id}`, { definition: city('Bonn') });
    const bonn = contactWith(livingIn('Bonn'));
    await applyAll(parts, built, account.accountId, [bonn]);
    assert.deepEqual(await ids(), before);
    now = atNoon(7);
    await backfillAll(built);
    assert.deepEqual(await ids(), [bonn.id]);
    assert.deepEqual(await ids(`as_of=${atNoon(6).toISOString()}&limit=100`), before);
  });

  await t.test('omits contacts deleted since', async () => {
    await parts.mongo.transaction(origin(), (tx) =>
      built.contacts.applyDeletion(tx, account.accountId, { contactId: second.id, revision: 9 }),
    );
    const then = await ids(`as_of=${atNoon(2).toISOString()}&limit=100`);
    assert.ok(!then.includes(second.id) && then.length === 5);
  });

  await t.test('rejects cursors of another time, segment or account, and invalid times', async () => {
    const { data: other } = await account.post('/v2/segments', { name: 'Other', definition: city('Berlin') });
    await backfillAll(built);
    const cursor = (await account.get(`/v2/segments/${other.id}/contacts?limit=1`)).data.pagination.next_cursor;
    for (const query of [`cursor=${cursor}`, 'cursor=x', 'as_of=yesterday', 'as_of=2026-01-01', 'limit=101']) {
      assert.equal((await list(query)).status, 400, query);
    }
    assert.equal((await account.get(`/v2/segments/${other.id}/contacts?cursor=${cursor}&as_of=2026-01-01T00:00:00Z`)).status, 400);
  });
});
