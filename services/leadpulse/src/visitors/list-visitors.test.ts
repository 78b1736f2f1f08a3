import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';

test('GET /v2/leadpulse/visitors', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  await guaranteeRoute(t, app, { method: 'GET', scope: 'leadpulse:read', url: () => '/v2/leadpulse/visitors' });

  const account = testClient(app);
  const yesterday = Date.now() - 86_400_000;
  const at = (minutes: number) => new Date(yesterday + minutes * 60_000).toISOString();
  await trackAndCount(parts, account, [
    ...[0, 1, 2, 3, 4].map((number) => view(`v${number}`, at(number * 10))),
    { ...view('v1', at(300)), event: 'signup' },
    view('robot', at(60), '/', { user_agent: 'Googlebot/2.1' }),
  ]);
  const list = async (query: string) => {
    const response = await account.get(`/v2/leadpulse/visitors${query && `?${query}`}`);
    assert.equal(response.status, 200, response.text);
    return response.data.items.map(({ visitor_id }: { visitor_id: string }) => visitor_id);
  };

  await t.test('lists visitors, most recent first, with pagination', async () => {
    assert.deepEqual(await list(''), ['v1', 'v4', 'v3', 'v2', 'v0']);
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const response = await account.get(`/v2/leadpulse/visitors?limit=2&sort=first_seen_at${cursor && `&cursor=${cursor}`}`);
      seen.push(...response.data.items.map(({ visitor_id }: { visitor_id: string }) => visitor_id));
      cursor = response.data.pagination.next_cursor;
      if (!cursor) break;
      assert.match(String(response.headers.link), /rel="next"/);
    }
    assert.deepEqual(seen, ['v0', 'v1', 'v2', 'v3', 'v4']);
  });

  await t.test('filters by bot, own ID, event, contact and time', async () => {
    assert.ok((await list('include=bots')).includes('robot'));
    assert.deepEqual(await list('visitor_id=v3'), ['v3']);
    assert.deepEqual(await list('event=signup'), ['v1']);
    assert.deepEqual(await list('identified=true'), []);
    assert.equal((await list('identified=false')).length, 5);
    assert.deepEqual(await list(`last_seen_at[gte]=${at(30)}&last_seen_at[lt]=${at(41)}`), ['v4', 'v3']);
    const german = testClient(app);
    await trackAndCount(parts, german, [
      view('g', at(0), '/', { country: 'DE', campaign: { source: 'google', medium: 'cpc' } }),
      view('f', at(1), '/', { country: 'FR' }),
    ]);
    for (const query of ['country=DE', 'channel=paid_search', `source=google&last_seen_at[gte]=${at(0)}`]) {
      const { items } = (await german.get(`/v2/leadpulse/visitors?${query}`)).data;
      assert.deepEqual(
        items.map(({ visitor_id }: { visitor_id: string }) => visitor_id),
        ['g'],
        query,
      );
    }
    assert.deepEqual(await list('contact_id=contact_01h455vb4pex5vsknk084sn02q'), []);
    assert.deepEqual((await testClient(app).get('/v2/leadpulse/visitors')).data.items, [], 'accounts do not share visitors');
  });

  await t.test('rejects unsupported combinations and invalid parameters', async () => {
    for (const query of [
      'identified=true&event=signup',
      'country=DE&source=google',
      'country=Germany',
      'event=signup&sort=first_seen_at',
      `first_seen_at[gt]=${at(0)}`,
      'identified=yes',
      'limit=0',
      'sort=events',
      'cursor=abc',
    ]) {
      const response = await account.get(`/v2/leadpulse/visitors?${query}`);
      assert.deepEqual([query, response.status, response.error?.code], [query, 400, 'VALIDATION_ERROR']);
    }
  });
});
