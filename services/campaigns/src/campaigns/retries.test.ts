import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { startNeighbours } from '../../test/neighbours.ts';
import { routesOnly, smallest } from '../../test/setting.ts';

test('a retry with the same Idempotency-Key gets the first response, even if the request would be rejected now', async (t) => {
  const neighbours = await startNeighbours(t);
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  parts.broker.start();
  await parts.broker.connected();
  const owner = testClient(app);
  const key = { 'idempotency-key': 'k' };
  const create = async () => (await owner.post('/v2/campaigns', smallest)).data.id;
  const sending = `/v2/campaigns/${await create()}/send`;
  // Its scheduled time comes while the other subtests run. On a busy machine it can pass on the way; another one takes its place.
  const { at, scheduled, first } = await eventually(async () => {
    const at = Date.now() + 2_000;
    const scheduled = { schedule_at: new Date(at).toISOString() };
    const first = await owner.post(sending, scheduled, key);
    return first.status === 202 && { at, scheduled, first };
  });

  await t.test('an update with the resource as it was read, after the revision has changed', async () => {
    const path = `/v2/campaigns/${await create()}`;
    const body = { ...(await owner.get(path)).data, name: 'Changed' };
    const first = await owner.put(path, body, key);
    const second = await owner.put(path, body, key);
    assert.deepEqual([first.status, second.status, second.data], [200, 200, first.data]);
    assert.equal(second.headers['idempotent-replayed'], 'true');
    assert.equal((await owner.put(path, body)).status, 400);
  });

  await t.test('a campaign whose segment has been deleted in the meantime', async () => {
    const segment = neighbours.segment(owner.accountId, []);
    const body = { ...smallest, audience: { include: [segment] } };
    const first = await owner.post('/v2/campaigns', body, key);
    neighbours.removeSegment(segment);
    const second = await owner.post('/v2/campaigns', body, key);
    assert.deepEqual([first.status, second.status, second.data], [201, 201, first.data]);
    assert.equal((await owner.post('/v2/campaigns', body)).status, 400);
  });

  await t.test('a send whose scheduled time has passed in the meantime', async () => {
    await eventually(async () => Date.now() > at);
    const second = await owner.post(sending, scheduled, key);
    assert.deepEqual([second.status, second.data], [202, first.data]);
    assert.equal((await owner.post(sending, scheduled)).status, 400);
  });
});
