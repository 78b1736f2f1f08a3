import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '@mp/service-kit/create-server';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { testCounting } from '../../test/counting.ts';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';
import { getLive } from './get-live.ts';

test('GET /v2/leadpulse/live', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  await guaranteeRoute(t, app, { method: 'GET', scope: 'leadpulse:read', url: () => '/v2/leadpulse/live' });

  await t.test('counts the visitors of the last five minutes by their latest page, source and country', async () => {
    const account = testClient(app);
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();
    await trackAndCount(parts, account, [
      view('gone', ago(400)),
      view('a', ago(200), '/', { campaign: { source: 'news' }, country: 'DE' }),
      view('a', ago(100), '/pricing', { country: 'DE' }),
      { ...view('a', ago(50)), event: 'signup', context: { country: 'DE' } },
      view('b', ago(60), '/pricing', { country: 'FR' }),
      view('robot', ago(10), '/', { user_agent: 'Googlebot/2.1' }),
    ]);
    const { data } = await account.get('/v2/leadpulse/live');
    assert.deepEqual([data.visitors, data.pageviews, data.events, data.window_seconds], [2, 3, 4, 300]);
    assert.deepEqual(data.pages, [{ value: '/pricing', visitors: 2 }]);
    assert.deepEqual(data.sources, [
      { value: 'direct', visitors: 1 },
      { value: 'news', visitors: 1 },
    ]);
    assert.deepEqual(
      data.countries.map(({ value }: { value: string }) => value),
      ['DE', 'FR'],
    );
    assert.equal((await testClient(app).get('/v2/leadpulse/live')).data.visitors, 0, 'accounts do not share visitors');

    const counting = testCounting(parts);
    const busy = createServer(parts);
    t.after(() => busy.close());
    const matching = async (_: unknown, { from, to }: { from: Date; to: Date }) => (to.getTime() - from.getTime() > 150_000 ? 20_001 : 0);
    getLive(busy, { ...counting, events: { ...counting.events, matching } });
    const { data: shorter } = await testClient(busy, { account_id: account.accountId }).get('/v2/leadpulse/live');
    assert.deepEqual(
      [shorter.window_seconds, shorter.visitors, shorter.events],
      [75, 2, 2],
      'the window is halved until it is small enough',
    );
  });
});
