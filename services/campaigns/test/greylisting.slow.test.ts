import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultTimings } from '../src/delivery/sending/timings.ts';
import { account, reconciliation, sendCampaign, startSetting, untilStatus } from './setting.ts';

const people = 1_000;
const greyMs = 60_000;
const limitMs = 600_000;

test('emails to 1,000 recipients at a domain that greylists each for a minute are sent within ten minutes', async (t) => {
  const { app, neighbours, sink } = await startSetting(t, { SMTP_CONNECTIONS: 10, timings: defaultTimings });
  const firstAt = new Map<string, number>();
  sink.behave((address) => {
    const first = firstAt.get(address) ?? Date.now();
    firstAt.set(address, first);
    return Date.now() - first < greyMs ? { rcpt: 451, text: '4.7.1 Please try again later' } : 'take';
  });
  const owner = account(app);
  neighbours.contacts(owner.accountId, people, (index) => ({ email: `p${index}@grey.example` }));
  const began = Date.now();
  const id = await sendCampaign(owner);
  await untilStatus(owner, id, 'sent', limitMs);
  // `untilStatus` waits longer on a busy machine.
  assert.ok(Date.now() - began < limitMs);
  const { states, reconciles } = await reconciliation(owner, id);
  assert.deepEqual([states.sent, reconciles], [people, true]);
  assert.equal(new Set(sink.received.map(({ to }) => to)).size, people);
  t.diagnostic(
    `${Math.round((Date.now() - began) / 1_000)} s, ${[...sink.attempts.values()].reduce((sum, count) => sum + count, 0)} attempts`,
  );
});
