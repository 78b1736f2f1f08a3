import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';

test('GET /v2/leadpulse/visitors/:id/sessions', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const start = Date.now() - 20 * 86_400_000;
  const at = (hours: number) => new Date(start + hours * 3_600_000).toISOString();
  const idOf = async (client: ReturnType<typeof testClient>) => (await client.get('/v2/leadpulse/visitors?visitor_id=v')).data.items[0].id;

  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'leadpulse:read',
    url: async (client) => {
      await trackAndCount(parts, client, [view('v', at(0))]);
      return `/v2/leadpulse/visitors/${await idOf(client)}/sessions`;
    },
  });

  await t.test('lists every session once, newest first, page by page; their events are listed by visitor and time', async () => {
    const account = testClient(app);
    const hours = Array.from({ length: 25 }, (_, index) => index);
    await trackAndCount(parts, account, [...hours.map((hour) => view('v', at(hour), `/${hour}`)), view('other', at(1))]);
    const id = await idOf(account);
    const seen: { entry_page: string; started_at: string; ended_at: string }[] = [];
    for (let cursor = ''; ; ) {
      const { data } = await account.get(`/v2/leadpulse/visitors/${id}/sessions?limit=10${cursor && `&cursor=${cursor}`}`);
      seen.push(...data.items);
      cursor = data.pagination.next_cursor;
      if (!cursor) break;
    }
    assert.deepEqual(
      seen.map(({ entry_page }) => entry_page),
      hours.toReversed().map((hour) => `/${hour}`),
    );
    const [latest] = seen;
    const { items } = (
      await account.get(`/v2/leadpulse/events?visitor=${id}&time[gte]=${latest?.started_at}&time[lte]=${latest?.ended_at}`)
    ).data;
    assert.deepEqual(
      items.map(({ page }: { page: { path: string } }) => page.path),
      ['/24'],
    );
  });

  await t.test('`$session_end` is the last moment of a session, which it does not end, and no action', async () => {
    const account = testClient(app);
    const end = { event: '$session_end', visitor_id: 'v', timestamp: at(0.1) };
    await trackAndCount(parts, account, [view('v', at(0)), end]);
    const sessions = async () => (await account.get(`/v2/leadpulse/visitors/${await idOf(account)}/sessions`)).data.items;
    const [alone] = await sessions();
    assert.deepEqual([alone.ended_at, alone.bounced, alone.events], [at(0.1), true, 2]);
    await trackAndCount(parts, account, [view('v', at(0.2), '/back')]);
    assert.deepEqual(
      (await sessions()).map(({ events, exit_page }: { events: number; exit_page: string }) => [events, exit_page]),
      [[3, '/back']],
    );
  });
});
