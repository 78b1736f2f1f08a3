import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceNames } from '@mp/contracts/services';
import { eventually } from '@mp/test-kit/eventually';
import { startMailSink } from '../mail-sink.ts';
import { createClient, startPlatform } from '../platform.ts';
import { startBalancer } from './balancer.ts';

/** With PLATFORM_IMAGES the services run in containers, otherwise as processes from the sources. */
test('replacing each service and the gateway under load fails and loses no request', async (t) => {
  const gateways = await startBalancer(t);
  const behind = serviceNames.filter((name) => name !== 'gateway');
  const balancers = new Map<string, Awaited<ReturnType<typeof startBalancer>>>();
  for (const name of behind) balancers.set(name, await startBalancer(t));
  const urls = Object.fromEntries([...balancers].map(([name, { url }]) => [`${name.toUpperCase()}_URL`, url]));
  const sink = await startMailSink(t);
  const env = { SHUTDOWN_DELAY_MS: '2000', PUBLIC_URL: gateways.url, SMTP_URL: sink.url, ...urls };
  const platform = await startPlatform(t, { services: [], env });

  const running = new Map<string, Awaited<ReturnType<typeof platform.replica>>>();
  const balancerOf = (name: (typeof serviceNames)[number]) => balancers.get(name) ?? gateways;
  for (const name of serviceNames) {
    const first = await platform.replica(name);
    running.set(name, first);
    balancerOf(name).add(first.port);
  }
  const key = await platform.command(
    'key.ts',
    '--name',
    'load',
    '--permission',
    'read_write',
    '--account',
    'rolling',
    '--plan',
    'enterprise',
  );
  const client = createClient(gateways.url, key);

  const faults: string[] = [];
  const created = new Set<string>();
  let requests = 0;
  let loading = true;
  async function load(worker: number) {
    for (let n = 0; loading; n += 1) {
      const email = `w${worker}-${n}@example.com`;
      const paths = ['/v2/contacts?limit=5', '/v2/segments', '/v2/campaigns', '/v2/workflows', '/v2/leadpulse/visitors'];
      const path = paths[n % paths.length] ?? '';
      try {
        const response = n % 2 === 0 ? await client.post('/v2/contacts', { email }) : await client.get(path);
        requests += 1;
        if (response.status >= 500)
          faults.push(`${response.status} ${n % 2 === 0 ? 'POST /v2/contacts' : path} ${JSON.stringify(response.error)}`);
        else if (response.status === 201) created.add(email);
      } catch (error) {
        faults.push(`lost ${n % 2 === 0 ? 'POST /v2/contacts' : path}: ${error instanceof Error ? error.cause : error}`);
      }
    }
  }
  const workers = Array.from({ length: 8 }, (_, worker) => load(worker));
  for (const name of serviceNames) {
    const before = requests;
    const next = await platform.replica(name);
    balancerOf(name).add(next.port);
    const old = running.get(name);
    await old?.stop();
    if (old) balancerOf(name).remove(old.port);
    running.set(name, next);
    t.diagnostic(`${name}: ${requests - before} requests during its replacement, ${faults.length} faults so far`);
  }
  loading = false;
  await Promise.all(workers);
  assert.deepEqual(faults, []);
  assert.ok(requests > 500, `${requests} requests`);

  const { data } = await client.get('/v2/contacts?limit=1&include=total_count');
  assert.equal(data.pagination.total_count, created.size, 'exactly the contacts with a 201 response exist');

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
    const next = await platform.replica('campaigns');
    balancerOf('campaigns').add(next.port);
    await running.get('campaigns')?.stop();
    await eventually(async () => (await client.get(`/v2/campaigns/${campaign.data.id}`)).data.status === 'sent');
    const { states } = (await client.get(`/v2/campaigns/${campaign.data.id}/ledger`)).data.reconciliation;
    assert.deepEqual([states.sent, states.unknown, states.failed], [created.size, 0, 0]);
    const receivers = sink.caught.map(({ to }) => to);
    assert.equal(new Set(receivers).size, receivers.length, 'no contact twice');
    assert.equal(receivers.length, created.size);
    t.diagnostic(`${receivers.length} emails`);
  });
});
