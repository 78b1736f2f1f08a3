import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
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

  await t.test('filters combine', async () => {
    const combined = testClient(app);
    await trackAndCount(parts, combined, [
      view('a', at(0), '/', { country: 'DE', campaign: { source: 'google', medium: 'cpc' } }),
      view('b', at(1), '/', { country: 'DE', campaign: { source: 'news' } }),
      view('c', at(2), '/', { country: 'FR', campaign: { source: 'google', medium: 'cpc' } }),
      { ...view('b', at(3)), event: 'signup', context: { country: 'DE' } },
    ]);
    const names = async (query: string) =>
      (await combined.get(`/v2/leadpulse/visitors?${query}`)).data.items.map(({ visitor_id }: { visitor_id: string }) => visitor_id);
    assert.deepEqual(await names('country=DE&source=google'), ['a']);
    assert.deepEqual(await names('country=DE&identified=false&event=signup'), ['b']);
    assert.deepEqual(await names(`source=google&channel=paid_search&last_seen_at[gt]=${at(1)}`), ['c']);
    assert.deepEqual(await names('country=FR&event=signup'), []);
  });

  await t.test('finds those that have reached a goal: an event, a page, or an event with conditions', async () => {
    const shop = testClient(app);
    const order = (visitor: string, minute: number, plan: string) => ({
      ...view(visitor, at(minute)),
      event: 'order',
      properties: { plan },
    });
    await trackAndCount(parts, shop, [
      ...Array.from({ length: 8 }, (_, index) => view(`none${index}`, at(100 + index))),
      view('viewed', at(1), '/thanks'),
      order('pro', 2, 'pro'),
      order('free', 3, 'free'),
    ]);
    const reached = async (match: object, limit = 2) => {
      const { data: goal } = await shop.post('/v2/leadpulse/goals', { name: 'Goal', match });
      const found: string[] = [];
      for (let cursor = ''; ; ) {
        const { data } = await shop.get(`/v2/leadpulse/visitors?limit=${limit}&goal=${goal.id}${cursor && `&cursor=${cursor}`}`);
        found.push(...data.items.map(({ visitor_id }: { visitor_id: string }) => visitor_id));
        cursor = data.pagination.next_cursor;
        if (!cursor) return found;
      }
    };
    assert.deepEqual(await reached({ event: 'order' }), ['free', 'pro']);
    assert.deepEqual(await reached({ page: '/thanks' }), ['viewed']);
    assert.deepEqual(await reached({ page: '/tha*' }, 1), ['viewed']);
    assert.deepEqual(await reached({ event: 'order', where: { 'properties.plan': 'pro' } }), ['pro']);
    const foreign = (await shop.get('/v2/leadpulse/goals')).data.items[0].id;
    assert.equal((await account.get(`/v2/leadpulse/visitors?goal=${foreign}`)).error.details[0].code, 'unknown_goal');
  });

  await t.test('finds every visitor with an event, however many names of events it has had', async () => {
    const many = testClient(app);
    const names = Array.from({ length: 230 }, (_, index) => `event-${index}`);
    const named = (visitor: string, event: string, minute: number) => ({ ...view(visitor, at(minute)), event });
    await trackAndCount(parts, many, [
      ...names.map((name, index) => named('busy', name, index / 10)),
      named('other', 'event-229', 40),
      ...Array.from({ length: 210 }, (_, index) => named('unrelated', `else-${index}`, 50)),
    ]);
    const having = async (query: string) =>
      (await many.get(`/v2/leadpulse/visitors?${query}`)).data.items.map(({ visitor_id }: { visitor_id: string }) => visitor_id);
    assert.deepEqual(await having('event=event-0'), ['busy']);
    assert.deepEqual(await having('event=event-229'), ['other', 'busy']);
    assert.deepEqual(await having(`event=event-229&last_seen_at[lt]=${at(30)}`), ['busy']);
    assert.deepEqual(await having('event=else-209&limit=1'), ['unrelated']);
    const { data: goal } = await many.post('/v2/leadpulse/goals', { name: 'Goal', match: { event: 'event-228' } });
    assert.deepEqual(await having(`goal=${goal.id}&event=event-201`), ['busy']);
    assert.deepEqual(await having('event=never'), []);
  });

  await t.test('searches by the beginning of an own ID, and by whole identifiers', async () => {
    const searched = testClient(app);
    await trackAndCount(parts, searched, [
      { ...view('browser-1', at(1)), email: 'Ada@Example.com' },
      { ...view('browser-2', at(2)), external_id: 'user-7' },
      view('other', at(3)),
    ]);
    const search = async (text: string) => {
      const { data } = await searched.get(`/v2/leadpulse/visitors?q=${encodeURIComponent(text)}`);
      return data.items.map(({ visitor_id }: { visitor_id: string }) => visitor_id);
    };
    const { id } = (await searched.get('/v2/leadpulse/visitors?visitor_id=other')).data.items[0];
    assert.deepEqual(await search('brow'), ['browser-2', 'browser-1']);
    assert.deepEqual(await search('browser-2'), ['browser-2']);
    assert.deepEqual(await search('ADA@example.com'), ['browser-1']);
    assert.deepEqual(await search('user-7'), ['browser-2']);
    assert.deepEqual(await search(id), ['other']);
    for (const text of ['user', 'ada', '$.*', '[a-z]']) assert.deepEqual(await search(text), [], text);
  });

  await t.test('rejects unsupported combinations and invalid parameters', async () => {
    for (const query of [
      'goal=goal_01h455vb4pex5vsknk084sn02q',
      'q=ab',
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
