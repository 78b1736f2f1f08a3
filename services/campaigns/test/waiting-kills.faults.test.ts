import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { killableServices } from './killable-services.ts';
import { startNeighbours } from './neighbours.ts';
import { reconciliation, routesOnly, sendCampaign, untilStatus } from './setting.ts';
import { startSmtpSink } from './smtp-sink.ts';

const people = 9;

test('a worker killed with -9 before the mail server has a byte of a content leaves no email unknown', async (t) => {
  const neighbours = await startNeighbours(t);
  const sink = await startSmtpSink(t, { behave: () => ({ stall: 'rcpt' }) });
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  parts.broker.start();
  await parts.broker.connected();
  const owner = testClient(app);
  // A domain each, so that they fill all connections and the others wait for one.
  neighbours.contacts(owner.accountId, people, (index) => ({ email: `p@d${index}.example` }));
  const { start, kill } = await killableServices(t, parts, sink.url);

  const id = await sendCampaign(owner);
  for (let times = 0; times < 3; times += 1) {
    const begun = [...sink.attempts.values()].reduce((sum, count) => sum + count, 0);
    const child = await start();
    await eventually(async () => [...sink.attempts.values()].reduce((sum, count) => sum + count, 0) >= begun + 5);
    await kill(child);
    const { states, reconciles } = await reconciliation(owner, id);
    assert.deepEqual([states.queued + states.deferred, states.sending, reconciles], [people, 0, true]);
  }

  sink.behave(() => 'take');
  const last = await start();
  await untilStatus(owner, id, 'sent', 120_000);
  const { states, reconciles } = await reconciliation(owner, id);
  assert.deepEqual([states.sent, states.unknown, reconciles], [people, 0, true]);
  assert.equal(sink.received.length, people);
  await kill(last);
});
