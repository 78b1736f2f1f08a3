import assert from 'node:assert/strict';
import { test } from 'node:test';
import { account, quickTimings, reconciliation, sendCampaign, startSetting, untilStatus } from './setting.ts';

/** A domain that rests is not tried again within these tests. */
const neverAgainMs = 3_600_000;

test('greylisting', async (t) => {
  const timings = { ...quickTimings, domainRest: { firstMs: neverAgainMs, maxMs: neverAgainMs } };
  const { app, neighbours, sink } = await startSetting(t, { SMTP_CONNECTIONS: 6, timings });

  for (const text of ['4.7.1 Please try again later', 'Temporary failure, please try again later.'])
    await t.test(`a domain that rejects the first attempt of each recipient (451 ${text}) gets all emails without a rest`, async () => {
      sink.behave((address, attempt) => (address.endsWith('@grey.example') && attempt % 2 === 1 ? { rcpt: 451, text } : 'take'));
      const owner = account(app);
      neighbours.contacts(owner.accountId, 200, (index) => ({ email: `p${index}@grey.example` }));
      const id = await sendCampaign(owner);
      await untilStatus(owner, id, 'sent', 120_000);
      const { states, reconciles } = await reconciliation(owner, id);
      assert.deepEqual([states.sent, reconciles], [200, true]);
      const attempts = [...sink.attempts.values()];
      assert.ok(
        attempts.every((count) => count % 2 === 0),
        'each recipient was rejected once and accepted once',
      );
    });
});
