import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { applyAll, backfillAll, contactWith, livingIn } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const livesIn = (city: string) => ({ field: 'address.city', op: 'eq', value: city });

test('GET /v2/segments/:id/versions', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp);
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'segments:read',
    url: async (client) =>
      `/v2/segments/${(await client.post('/v2/segments', { name: 'One', definition: livesIn('Berlin') })).data.id}/versions`,
  });

  await t.test('returns each definition with its author and the number of members before and after, newest first', async () => {
    const account = testClient(app);
    const cities = ['Berlin', 'Berlin', 'Bonn', 'Köln'];
    await applyAll(
      parts,
      built,
      account.accountId,
      cities.map((city) => contactWith(livingIn(city))),
    );
    const author = (id: string) => account.as({ principal_id: id });
    const { data: segment } = await author('key_1').post('/v2/segments', { name: 'Cities', definition: livesIn('Berlin') });
    await backfillAll(built);
    await author('key_2').put(`/v2/segments/${segment.id}`, { name: 'Renamed' });
    await author('key_2').put(`/v2/segments/${segment.id}`, { definition: livesIn('Bonn') });
    // Replaced before it is ready.
    await author('key_3').put(`/v2/segments/${segment.id}`, { definition: { not: livesIn('Bonn') } });
    await backfillAll(built);
    const { data } = await account.get(`/v2/segments/${segment.id}/versions`);
    assert.deepEqual(
      data.items.map((one: Record<string, unknown>) => [
        one.version,
        one.created_by,
        one.ready_at !== null,
        one.members_before,
        one.members_after,
      ]),
      [
        [3, 'key_3', true, 2, 3],
        [2, 'key_2', false, null, null],
        [1, 'key_1', true, 0, 2],
      ],
    );
    assert.deepEqual(data.items[1].definition, livesIn('Bonn'));
    const first = await account.get(`/v2/segments/${segment.id}/versions?limit=2`);
    const rest = await account.get(`/v2/segments/${segment.id}/versions?limit=2&cursor=${first.data.pagination.next_cursor}`);
    assert.deepEqual([...first.data.items, ...rest.data.items], data.items);
  });
});
