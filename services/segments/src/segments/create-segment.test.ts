import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { applyAll, backfillAll, contactWith, livingIn } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const berlin = { all: [{ field: 'address.city', op: 'eq', value: 'Berlin' }] };

test('POST /v2/segments', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp);
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'segments:write',
    url: () => '/v2/segments',
    body: { name: 'Berlin', definition: berlin },
  });

  await t.test('returns immediately, and the segment is ready with its count once every contact was evaluated', async () => {
    const account = testClient(app);
    await applyAll(
      parts,
      built,
      account.accountId,
      Array.from({ length: 7 }, (_, index) => contactWith(livingIn(index < 3 ? 'Berlin' : 'Bonn'))),
    );
    const response = await account.post('/v2/segments', { name: ' Berlin ', definition: berlin });
    assert.equal(response.status, 201);
    const { id, created_at, updated_at, ...rest } = response.data;
    assert.match(id, /^segment_[0-9a-z]{26}$/);
    assert.deepEqual([response.headers.location, response.headers.etag], [`/v2/segments/${id}`, '"1"']);
    assert.match(created_at, /Z$/);
    assert.equal(created_at, updated_at);
    const created = {
      name: 'Berlin',
      description: null,
      kind: 'dynamic',
      definition: berlin,
      version: 1,
      status: 'building',
      count: 0,
      evaluated_at: null,
      revision: 1,
      archived_at: null,
      warnings: [],
    };
    assert.deepEqual(rest, created);
    await backfillAll(built);
    const { data } = await account.get(`/v2/segments/${id}`);
    assert.deepEqual([data.status, data.count], ['ready', 3]);
    assert.match(data.evaluated_at, /Z$/);
  });

  await t.test('rejects a name that is taken in any case, and names the existing segment to callers that can read it', async () => {
    const account = testClient(app);
    const first = await account.post('/v2/segments', { name: 'Köln', definition: berlin });
    const second = await account.post('/v2/segments', { name: 'KÖLN', definition: berlin });
    assert.deepEqual([second.status, second.error.code, second.error.details[0].existing_id], [409, 'CONFLICT', first.data.id]);
    const blind = await account.as({ scopes: ['segments:write'] }).post('/v2/segments', { name: 'köln', definition: berlin });
    assert.equal(blind.status, 409);
    assert.ok(!blind.text.includes(first.data.id));
    assert.equal((await testClient(app).post('/v2/segments', { name: 'Köln', definition: berlin })).status, 201);
  });

  await t.test('returns the first response to a retry', async () => {
    const account = testClient(app);
    const retry = { 'idempotency-key': 's1' };
    const body = { name: 'Once', definition: { any: [{ event: 'order_placed', where: { 'properties.total': { gte: 10 } } }] } };
    const [first, second] = await Promise.all([account.post('/v2/segments', body, retry), account.post('/v2/segments', body, retry)]);
    assert.deepEqual([first.status, second.status, first.data], [201, 201, second.data]);
    assert.deepEqual(first.data.definition, body.definition);
  });

  await t.test('names the invalid condition of a definition', async () => {
    const account = testClient(app);
    const other = (await account.post('/v2/segments', { name: 'Other', definition: berlin })).data.id;
    const foreign = (await testClient(app).post('/v2/segments', { name: 'Foreign', definition: berlin })).data.id;
    const leaf = { field: 'email', op: 'exists' };
    const deep = Array.from({ length: 7 }).reduce<object>((inner) => ({ all: [inner] }), leaf);
    const wrong: [object, string][] = [
      [{ all: [leaf, { field: 'shoe_size', op: 'eq', value: 1 }] }, '/definition/all/1/field'],
      [{ all: [leaf, { not: { segment: foreign } }] }, '/definition/all/1/not/segment'],
      [{ any: [{ segment: other }, { segment: 'segment_01h455vb4pex5vsknk084sn02q' }] }, '/definition/any/1/segment'],
      [{ all: Array.from({ length: 101 }, () => leaf) }, '/definition/all'],
      [{ all: Array.from({ length: 51 }, () => ({ any: [leaf, leaf] })) }, '/definition'],
      [deep, '/definition/all/0/all/0/all/0/all/0/all/0/all/0'],
      [{ event: 'order_placed', in_last: 'P401D' }, '/definition/in_last'],
      [{ event: 'order_placed', count: { gte: 10_001 } }, '/definition/count'],
      [{ field: 'tags', op: 'matches', value: 'x' }, '/definition/op'],
      [{ field: 'address.town', op: 'eq', value: 'Berlin' }, '/definition/field'],
      [{ event: 'order_placed', where: { 'value.total': { gte: 5 } } }, '/definition/where/value.total'],
      [{ event: 'order_placed', sum: { of: 'value.amount', gte: 5 } }, '/definition/sum/currency'],
      [{ event: 'order_placed', sum: { of: 'value.amount', currency: ['EUR', 'USD'], gte: 5 } }, '/definition/sum/currency'],
      [{ sequence: [{ event: 'added_to_cart' }, { not_event: 'order_placed' }] }, '/definition/within'],
    ];
    for (const [definition, path] of wrong) {
      const response = await account.post('/v2/segments', { name: 'Wrong', definition });
      assert.deepEqual(
        [response.status, response.error?.code, response.error?.details[0].path],
        [400, 'VALIDATION_ERROR', path],
        response.text,
      );
    }
    assert.equal((await account.post('/v2/segments', { name: '', definition: berlin })).error.details[0].path, '/name');
    assert.equal((await account.post('/v2/segments', { name: 'Wrong' })).error.details[0].path, '/definition');
    const large = { all: [{ field: 'email', op: 'in', value: Array.from({ length: 400 }, () => 'x'.repeat(900)) }] };
    assert.equal((await account.post('/v2/segments', { name: 'Large', definition: large })).status, 413);
    assert.equal((await account.get('/v2/segments')).data.items.length, 1);
  });
});
