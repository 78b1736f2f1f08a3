import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { applyAll, backfillAll, contactWith, livingIn } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';
import { createPreview } from './preview.ts';

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
    assert.deepEqual(figures, { count: 30, exact: true, at_least: 30, at_most: 30, scanned: 60, warnings: [] });
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

  await t.test('stops when its time is up', async () => {
    const none = await createPreview(built)(account.accountId, berlin, 0);
    assert.deepEqual(none, { matched: 0, scanned: 0, finished: false, samples: [] });
  });
});
