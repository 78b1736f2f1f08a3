import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trustedId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { z } from 'zod';
import { testCounting } from '../../test/counting.ts';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';
import { funnelPeopleFields, readFunnelPeople } from './funnel-people.ts';
import { prepareReport } from './report-kinds.ts';

const funnel = { steps: [{ page: '/' }, { event: 'signup' }] };
const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const range = { from: day, to: day };
const at = (minute: number) => `${day}T00:${String(minute).padStart(2, '0')}:00Z`;
const signup = (visitor: string, minute: number) => ({ ...view(visitor, at(minute)), event: 'signup' });

test('lists the people of each step, page by page, as many as the funnel counts, with the same merges', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'leadpulse:read',
    url: () => '/v2/leadpulse/funnels/people',
    body: { ...funnel, step: 1 },
  });
  const account = testClient(app);
  const visitors = Array.from({ length: 7 }, (_, number) => `v${number}`);
  await trackAndCount(parts, account, [
    ...visitors.map((name, minute) => view(name, at(minute))),
    ...visitors.slice(0, 4).map((name) => signup(name, 30)),
  ]);
  const list = async (step: number, outcome: string) => {
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const body = { ...funnel, ...range, step, outcome, limit: 2, ...(cursor && { cursor }) };
      const { status, data, text } = await account.post('/v2/leadpulse/funnels/people', body);
      assert.equal(status, 200, text);
      for (const { visitor_id, contact_id, reached } of data.items) {
        assert.equal(contact_id, null);
        assert.ok(reached.length >= step);
        seen.push(visitor_id);
      }
      if (!data.pagination.has_more) return seen;
      cursor = data.pagination.next_cursor;
    }
  };
  const [all, reached, dropped] = [await list(1, 'reached'), await list(2, 'reached'), await list(1, 'dropped')];
  assert.deepEqual([all.length, reached.length, dropped.length], [7, 4, 3]);
  assert.deepEqual([...reached, ...dropped].sort(), all);
  const { events, identities } = testCounting(parts);
  const busy = { events: { ...events, matching: async () => 100_001 }, identities };
  const tooMany = readFunnelPeople(busy, account.accountId, z.object(funnelPeopleFields).parse({ ...funnel, step: 1 }), {
    limit: 1,
  });
  await assert.rejects(tooMany, ({ details }) => details[0].code === 'too_many_events');
  const limits: number[] = [];
  const merging = {
    async merges(_: unknown, limit: number) {
      limits.push(limit);
      return new Map(Array.from({ length: limit }, (_, number) => [trustedId<'contact'>(`${number}`), trustedId<'contact'>('')]));
    },
  };
  const quiet = {
    ...testCounting(parts),
    ...{ events: { ...events, byPerson: async function* () {} }, identities: { ...identities, ...merging } },
  };
  const { warnings } = await prepareReport('funnel', funnel).run(quiet, account.accountId);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['too_many_merges'],
  );
  await readFunnelPeople(quiet, account.accountId, z.object(funnelPeopleFields).parse({ ...funnel, step: 1 }), { limit: 1 });
  assert.deepEqual(limits, [100_001, 100_001], 'the same merges as the funnel');
  const wrong = await account.post('/v2/leadpulse/funnels/people', { ...funnel, step: 3 });
  assert.equal(wrong.error.details[0].path, '/step');
  const other = { ...funnel, ...range, step: 1, limit: 2 };
  const { next_cursor } = (await account.post('/v2/leadpulse/funnels/people', other)).data.pagination;
  assert.equal((await account.post('/v2/leadpulse/funnels/people', { ...other, step: 2, cursor: next_cursor })).status, 400);
});
