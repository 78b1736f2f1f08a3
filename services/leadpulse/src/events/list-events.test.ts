import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';

test('GET /v2/leadpulse/events', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  await guaranteeRoute(t, app, { method: 'GET', scope: 'leadpulse:read', url: () => '/v2/leadpulse/events' });

  const account = testClient(app);
  const yesterday = Date.now() - 86_400_000;
  const at = (minutes: number) => new Date(yesterday + minutes * 60_000).toISOString();
  await trackAndCount(parts, account, [
    ...[0, 1, 2, 3, 4].map((minute) => ({
      ...view(`v${minute % 2}`, at(minute)),
      message_id: `m${minute}`,
      properties: { number: minute },
    })),
    // Two events at the same time.
    { ...view('v0', at(4)), event: 'signup', properties: { number: 5 } },
    view('robot', at(6), '/', { user_agent: 'Googlebot/2.1' }),
  ]);
  const all = async (query: string) => {
    const seen: number[] = [];
    for (let cursor = ''; ; ) {
      const { status, data, text } = await account.get(`/v2/leadpulse/events?limit=2&${query}${cursor && `&cursor=${cursor}`}`);
      assert.equal(status, 200, text);
      seen.push(...data.items.map(({ properties }: { properties: { number?: number } }) => properties.number ?? -1));
      cursor = data.pagination.next_cursor;
      if (!cursor) return seen;
    }
  };

  await t.test('lists every event once, page by page, in both orders, and with any filters', async () => {
    const newest = await all('');
    assert.deepEqual(newest.slice(2), [3, 2, 1, 0]);
    assert.deepEqual(newest.slice(0, 2).sort(), [4, 5]);
    assert.deepEqual(await all('sort=time'), newest.toReversed());
    assert.deepEqual(await all('event=signup'), [5]);
    assert.deepEqual(await all(`sort=time&time[gte]=${at(1)}&time[lt]=${at(4)}`), [1, 2, 3]);
    assert.equal((await all('include=bots')).length, 7);
    const { items } = (await account.get('/v2/leadpulse/visitors?visitor_id=v1')).data;
    assert.deepEqual(await all(`visitor=${items[0].id}`), [3, 1]);
    assert.deepEqual(await all(`visitor=${items[0].id}&event=signup`), []);
    assert.deepEqual(await all('page=/nowhere'), []);
    assert.deepEqual(await all(`sort=time&page=/&event=$pageview&time[lt]=${at(2)}`), [0, 1]);
    assert.deepEqual(await all('country=DE'), []);
    assert.deepEqual(await all('contact_id=contact_01h455vb4pex5vsknk084sn02q'), []);
    assert.deepEqual((await testClient(app).get('/v2/leadpulse/events')).data.items, [], 'accounts do not share events');
  });

  await t.test('rejects invalid parameters', async () => {
    for (const query of ['sort=name', 'page=pricing', 'country=Germany', 'time[gte]=yesterday', 'limit=0', 'cursor=abc'])
      assert.equal((await account.get(`/v2/leadpulse/events?${query}`)).error?.code, 'VALIDATION_ERROR', query);
  });
});
