import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrequencyCapChanged } from '@mp/contracts/events/campaigns';
import { writtenEvents } from '@mp/test-kit/written-events';
import { account, startSetting } from '../../test/setting.ts';

test('every change of the frequency cap is published, for the runs that wait for it, and no other change', async (t) => {
  const { app, parts } = await startSetting(t);
  const owner = account(app);
  const changes = async (body: object) => {
    assert.equal((await owner.put('/v2/campaigns/settings', body)).status, 200);
    const events = await writtenEvents(parts.mongo.db, { accountId: owner.accountId });
    return events.filter(({ envelope }) => envelope.type === FrequencyCapChanged.type).length;
  };
  const frequency_cap = { max_emails: 2, days: 3 };
  assert.equal(await changes({ frequency_cap }), 1);
  assert.equal(await changes({ frequency_cap, delivered_after_hours: 12 }), 1);
  assert.equal(await changes({ frequency_cap: null }), 2);
});
