import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { applyAll, backfillAll, contactWith, livingIn } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

type Preview = Record<'count' | 'scanned' | 'at_least' | 'at_most' | 'progress', number> & {
  exact: boolean;
  next_cursor: string | null;
  samples: { id: string }[];
};

const berlin = { field: 'address.city', op: 'eq', value: 'Berlin' } as const;

test('POST /v2/segments/preview', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp);
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'segments:read',
    url: () => '/v2/segments/preview',
    body: { definition: berlin },
  });
  const account = testClient(app);
  const contacts = Array.from({ length: 60 }, (_, index) => contactWith(livingIn(index % 2 === 0 ? 'Berlin' : 'Bonn')));
  await applyAll(parts, built, account.accountId, contacts);

  await t.test('counts exactly, samples at most 20 and saves nothing', async () => {
    const { status, data } = await account.post('/v2/segments/preview', { definition: berlin });
    assert.equal(status, 200);
    const { samples, ...figures } = data;
    const whole = { count: 30, exact: true, at_least: 30, at_most: 30, scanned: 60, progress: 1, next_cursor: null, warnings: [] };
    assert.deepEqual(figures, whole);
    assert.equal(samples.length, 20);
    assert.equal(samples[0].email, 'ada@example.com');
    assert.deepEqual((await account.get('/v2/segments')).data.items, []);
    assert.equal((await testClient(app).post('/v2/segments/preview', { definition: berlin })).data.count, 0);
  });

  await t.test('can use other segments, and rejects unknown ones', async () => {
    const { data } = await account.post('/v2/segments', { name: 'Berlin', definition: berlin });
    await backfillAll(built);
    const outside = await account.post('/v2/segments/preview', { definition: { not: { segment: data.id } } });
    assert.equal(outside.data.count, 30);
    const unknown = await account.post('/v2/segments/preview', { definition: { segment: 'segment_01h455vb4pex5vsknk084sn02q' } });
    assert.deepEqual([unknown.status, unknown.error.details[0].path], [400, '/definition/segment']);
  });

  await t.test('continues where the time ran out, until the count is exact', async (t) => {
    // A request evaluates some contacts even if it has no time.
    const { app: hurried } = await testService(t, parts, (shared) => buildApp(shared, { previewMs: 0 }));
    const large = testClient(hurried);
    const total = 5_000;
    const [one] = contacts;
    assert.ok(one);
    const rows = Array.from({ length: total }, (_, index) => {
      const id = newId('contact');
      const contact = { ...one, ...livingIn(index % 500 === 499 ? 'Berlin' : 'Bonn'), id, email: `${id}@example.com` };
      return { _id: id, account_id: large.accountId, contact, revision: 1, touches: 0, touched_at: new Date() };
    });
    await parts.mongo.db.collection<(typeof rows)[number]>('profiles').insertMany(rows);
    const previews: Preview[] = [];
    let url = '/v2/segments/preview';
    for (let next: string | null = ''; next !== null; ) {
      const { status, data } = await large.post(url, { definition: berlin });
      assert.equal(status, 200, JSON.stringify(data));
      previews.push(data);
      next = data.next_cursor;
      url = `/v2/segments/preview?cursor=${next}`;
    }
    assert.ok(previews.length > 1, 'it takes more than one request');
    for (const [index, { exact, at_least, at_most, scanned, progress }] of previews.entries()) {
      assert.equal(exact, index === previews.length - 1);
      assert.ok(at_least <= total / 500 && at_most >= total / 500 && scanned > (previews[index - 1]?.scanned ?? 0));
      assert.equal(progress, scanned / total);
    }
    const { count, scanned, at_least, at_most } = previews.at(-1) ?? {};
    assert.deepEqual({ count, scanned, at_least, at_most }, { count: 10, scanned: total, at_least: 10, at_most: 10 });
    const samples = previews.flatMap((data) => data.samples);
    assert.equal(new Set(samples.map(({ id }) => id)).size, 10);
    const elsewhere = { ...berlin, value: 'Bonn' };
    const foreign = await large.post(`/v2/segments/preview?cursor=${previews[0]?.next_cursor}`, { definition: elsewhere });
    assert.deepEqual([foreign.status, foreign.error.details[0].code], [400, 'invalid_cursor']);
  });
});
