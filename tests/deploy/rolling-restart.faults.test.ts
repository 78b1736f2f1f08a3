import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceNames } from '@mp/contracts/services';
import { eventually } from '@mp/test-kit/eventually';
import { createClient } from '../client.ts';
import { startMailSink } from '../mail-sink.ts';
import { startLoad, startRolling } from './rolling-platform.ts';

/** With PLATFORM_IMAGES the services run in containers, otherwise as processes from the sources. */
test('replacing each service and the gateway under load fails and loses no request', async (t) => {
  const sink = await startMailSink(t);
  const { platform, url, replace } = await startRolling(t, { env: { SMTP_URL: sink.url } });
  const given = ['--name', 'load', '--permission', 'read_write', '--account', 'rolling', '--plan', 'enterprise'];
  const client = createClient(url, await platform.command('key.ts', ...given));

  const load = startLoad(client);
  for (const name of serviceNames) {
    const before = load.requests();
    await replace(name);
    t.diagnostic(`${name}: ${load.requests() - before} requests during its replacement, ${load.faults.length} faults so far`);
  }
  await load.end();
  assert.deepEqual(load.faults, []);
  assert.ok(load.requests() > 500, `${load.requests()} requests`);

  const { data } = await client.get('/v2/contacts?limit=1&include=total_count');
  assert.equal(data.pagination.total_count, load.created.size, 'exactly the contacts with a 201 response exist');

  await t.test('a campaign that is sent in the meantime emails every contact once', async () => {
    const campaign = await client.post('/v2/campaigns', {
      name: 'All',
      subject: 'All',
      from: { email: 'news@example.com', name: 'News' },
      html: '<p>All</p>',
      audience: { include: ['all'] },
    });
    await client.post(`/v2/campaigns/${campaign.data.id}/send`);
    await eventually(async () => sink.caught.length > 20);
    await replace('campaigns');
    await eventually(async () => (await client.get(`/v2/campaigns/${campaign.data.id}`)).data.status === 'sent');
    const { states } = (await client.get(`/v2/campaigns/${campaign.data.id}/ledger`)).data.reconciliation;
    assert.deepEqual([states.sent, states.unknown, states.failed], [load.created.size, 0, 0]);
    const receivers = sink.caught.map(({ to }) => to);
    assert.equal(new Set(receivers).size, receivers.length, 'no contact twice');
    assert.equal(receivers.length, load.created.size);
    t.diagnostic(`${receivers.length} emails`);
  });
});
