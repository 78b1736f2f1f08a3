import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { applyAll, backfillAll, contactWith, livingIn } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

test('GET /v2/contacts/:id/segments', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp);
  const contactFor = async (accountId: AccountId, city = 'Berlin') => {
    const contact = contactWith(livingIn(city));
    await applyAll(parts, built, accountId, [contact]);
    return contact;
  };
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'segments:read',
    url: async (client) => `/v2/contacts/${(await contactFor(client.accountId)).id}/segments`,
  });

  await t.test('pages through the segments the contact is in now, and no others', async () => {
    const account = testClient(app);
    const berliner = await contactFor(account.accountId);
    const roman = await contactFor(account.accountId, 'Rome');
    const create = async (name: string, city: string) =>
      (await account.post('/v2/segments', { name, definition: { field: 'address.city', op: 'eq', value: city } })).data.id;
    const wanted: string[] = [];
    for (let index = 0; index < 5; index += 1) wanted.push(await create(`Berlin ${index}`, 'Berlin'));
    await create('Rome', 'Rome');
    await backfillAll(built);
    const seen: { id: string; name: string; kind: string; entered_at: string }[] = [];
    for (let cursor = ''; ; ) {
      const { data } = await account.get(`/v2/contacts/${berliner.id}/segments?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...data.items);
      if (!data.pagination.has_more) break;
      cursor = data.pagination.next_cursor;
    }
    assert.deepEqual(
      seen.map(({ id }) => id),
      wanted.toSorted(),
    );
    assert.deepEqual([seen[0]?.name, seen[0]?.kind, typeof seen[0]?.entered_at], ['Berlin 0', 'dynamic', 'string']);
    await applyAll(parts, built, account.accountId, [{ ...berliner, ...livingIn('Rome'), revision: berliner.revision + 1 }]);
    const names = async (id: string) =>
      (await account.get(`/v2/contacts/${id}/segments`)).data.items.map(({ name }: { name: string }) => name);
    assert.deepEqual([await names(berliner.id), await names(roman.id)], [['Rome'], ['Rome']]);
  });
});
