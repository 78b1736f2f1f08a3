import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';

test('GET /v2/leadpulse/visitors/:id', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const yesterday = Date.now() - 86_400_000;
  const at = (minutes: number) => new Date(yesterday + minutes * 60_000).toISOString();

  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'leadpulse:read',
    url: async (client) => {
      await trackAndCount(parts, client, [view('v', at(0))]);
      return `/v2/leadpulse/visitors/${(await client.get('/v2/leadpulse/visitors')).data.items[0].id}`;
    },
  });

  await t.test('returns the visitor with its touches, sessions and events', async () => {
    const account = testClient(app);
    await trackAndCount(parts, account, [
      view('v', at(0), '/landing', { campaign: { source: 'google', medium: 'cpc', name: 'spring' } }),
      view('v', at(10), '/pricing'),
      { ...view('v', at(12)), event: 'order_placed', properties: { total: 10 }, value: { amount: 10.5, currency: 'eur' } },
      view('v', at(100), '/docs', { page: { url: 'https://example.com/docs', referrer: 'https://news.ycombinator.com/item' } }),
    ]);
    const [item] = (await account.get('/v2/leadpulse/visitors')).data.items;
    const { data } = await account.get(`/v2/leadpulse/visitors/${item.id}`);
    assert.deepEqual([data.visitor_id, data.events, data.pageviews, data.sessions, data.identified], ['v', 4, 3, 2, false]);
    assert.deepEqual(
      [data.first_touch.channel, data.first_touch.page, data.last_touch.channel],
      ['paid_search', '/landing', 'organic_social'],
    );
    const [second, first] = data.recent_sessions;
    assert.deepEqual(
      [first.entry_page, first.exit_page, first.duration_seconds, first.bounced, first.value],
      ['/landing', '/pricing', 720, false, [{ amount: 10.5, currency: 'EUR' }]],
    );
    assert.deepEqual([second.entry_page, second.bounced, second.duration_seconds], ['/docs', true, 0]);
    assert.deepEqual(
      data.recent_events.map(({ event }: { event: string }) => event),
      ['$pageview', 'order_placed', '$pageview', '$pageview'],
    );
    assert.deepEqual([data.recent_events[1].properties, data.recent_events[1].value], [{ total: 10 }, { amount: 10.5, currency: 'EUR' }]);
  });

  await t.test("returns 404 for malformed IDs and for the caller's own ID", async () => {
    for (const id of ['v', 'visitor_', 'contact_01h455vb4pex5vsknk084sn02q', '%00'])
      assert.equal((await testClient(app).get(`/v2/leadpulse/visitors/${id}`)).status, 404);
  });
});
