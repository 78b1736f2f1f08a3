import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { chances, killableServices } from './killable-services.ts';
import { startNeighbours } from './neighbours.ts';
import { reconciliation, routesOnly, smallest, untilStatus } from './setting.ts';
import { startSmtpSink } from './smtp-sink.ts';

const seed = Number(process.env.SEED ?? 20_261_127);
const rounds = Number(process.env.ROUNDS ?? 5);
const people = 60;

test(`approvals while workers are killed with -9 (SEED=${seed}): nothing is sent before, and each contact gets one email after`, async (t) => {
  const neighbours = await startNeighbours(t);
  const chance = chances(seed);
  const sink = await startSmtpSink(t);
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  parts.broker.start();
  await parts.broker.connected();
  const owner = testClient(app);
  const user = (permission: 'admin' | 'read_write') => owner.as({ principal_id: newId('user'), permission });
  const [admin, approver] = [user('admin'), user('read_write')];
  assert.equal((await admin.put('/v2/campaigns/settings', { approval: 'always' })).status, 200);
  neighbours.contacts(owner.accountId, people);
  const { start, kill } = await killableServices(t, parts, sink.url);

  for (let round = 0; round < rounds; round += 1) {
    const { id } = (await owner.post('/v2/campaigns', smallest)).data;
    const { revision } = (await owner.post(`/v2/campaigns/${id}/send`)).data;
    const ours = () => sink.received.filter(({ raw }) => raw.includes(`${id}:`));
    const first = await start();
    assert.equal(ours().length, 0);
    const [approval] = await Promise.all([
      approver.patient().post(`/v2/campaigns/${id}/approve`, { revision }, { 'idempotency-key': id }),
      sleep(chance() * 150).then(() => kill(first)),
    ]);
    assert.equal(approval.status, 200);
    // The client has not seen the response, and repeats the request.
    const again = await approver.post(`/v2/campaigns/${id}/approve`, { revision }, { 'idempotency-key': id });
    assert.deepEqual([again.status, again.data], [200, approval.data]);
    const second = await start();
    await sleep(chance() * 300);
    await kill(second);
    const last = await start();
    await untilStatus(owner, id, 'sent', 120_000);
    await kill(last);
    const { states, reconciles } = await reconciliation(owner, id);
    assert.deepEqual([reconciles, states.sent + states.unknown], [true, people]);
    assert.equal(new Set(ours().map(({ to }) => to)).size, ours().length, 'no contact got two emails');
  }
});
