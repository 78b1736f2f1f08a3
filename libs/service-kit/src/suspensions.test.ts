import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountChanged } from '@mp/contracts/events/platform';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { createSuspensions, notSuspended } from './suspensions.ts';

test('suspended accounts', async (t) => {
  const parts = await testParts(t, 'kit');
  const suspensions = createSuspensions(parts, AccountChanged);
  await suspensions.prepare();
  parts.broker.start();
  parts.relay.start();
  suspensions.consumer.start();
  suspensions.start();
  t.after(async () => {
    await suspensions.consumer.stop();
    await suspensions.stop();
    await parts.relay.stop();
  });
  const account = newId('account');
  const publish = (status: 'active' | 'suspended' | undefined, revision: number) =>
    parts.mongo.transaction({ correlationId: 'req_12345678', causationId: null }, (tx) =>
      parts.outbox.add(tx, AccountChanged, account, { account_id: account, ...(status && { status, revision }) }),
    );
  const consumed = (events: number) => eventually(async () => (await parts.mongo.db.collection('inbox').countDocuments()) === events);

  await t.test('are known after the event, until the suspension is lifted', async () => {
    await publish('suspended', 2);
    await eventually(async () => suspensions.has(account));
    assert.deepEqual([suspensions.all(), notSuspended(suspensions)], [[account], { account_id: { $nin: [account] } }]);
    await publish('active', 3);
    await eventually(async () => !suspensions.has(account));
    assert.deepEqual(notSuspended(suspensions), {});
  });

  await t.test('are not changed by late events or by events of earlier releases', async () => {
    await publish('suspended', 1);
    await publish(undefined, 0);
    await consumed(4);
    await suspensions.prepare();
    assert.equal(suspensions.has(account), false);
  });

  await t.test('are known after a restart before work starts, and to replicas that missed the event', async () => {
    await publish('suspended', 4);
    const replica = createSuspensions(parts, AccountChanged);
    replica.start();
    t.after(() => replica.stop());
    await eventually(async () => replica.has(account));
    const restarted = createSuspensions(parts, AccountChanged);
    await restarted.prepare();
    assert.equal(restarted.has(account), true);
  });
});
