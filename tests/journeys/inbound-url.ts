import assert from 'node:assert/strict';
import { eventually } from '@mp/test-kit/eventually';
import { createClient } from '../client.ts';
import type { Platform } from '../platform.ts';

export async function inboundUrl(platform: Platform) {
  const client = await platform.client('--permission', 'admin', '--account', 'inbound');
  const setQuota = (requests: number) =>
    platform.command('account.ts', 'set', '--account', 'inbound', '--daily-requests', String(requests));
  await setQuota(1_000);
  const email = 'ada@example.com';
  assert.equal((await client.post('/v2/contacts', { email })).status, 201);
  const { data: workflow } = await client.post('/v2/workflows', {
    name: 'Paid',
    trigger: { type: 'webhook_received', contact: { email: '/email' } },
    entry: { policy: 'every_time' },
    steps: [{ id: 'wait', type: 'delay', for: 'P1D' }],
  });
  const { path } = (await client.get(`/v2/workflows/${workflow.id}/hook`)).data;
  const sender = createClient(platform.url, undefined);
  const send = () => sender.post(path, { email });
  const sendMany = (count: number) => Promise.all(Array.from({ length: count }, send));
  const usage = async () => (await client.get('/v2/settings/usage')).data.used;
  await eventually(async () => (await send()).status === 202);

  const before = await usage();
  const accepted = await sendMany(15);
  assert.deepEqual(new Set(accepted.map(({ status }) => status)), new Set([202]));
  assert.equal(new Set(accepted.map(({ data }) => data.run_id)).size, 15);
  assert.equal((await usage()) - before, 15);
  const left = accepted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
  assert.equal(Math.min(...left), 1_000 - (await usage()));

  const limited = await eventually(async () => (await sendMany(60)).find(({ status }) => status === 429));
  assert.deepEqual([limited.error.code, limited.headers.get('retry-after')], ['RATE_LIMITED', '1']);
  assert.match(limited.error.message, /^This URL accepts 20 requests per second/);

  await setQuota(await usage());
  const exhausted = await eventually(async () => {
    const response = await send();
    return response.error?.code === 'QUOTA_EXCEEDED' && response;
  });
  assert.ok(Number(exhausted.headers.get('retry-after')) > 0);
  await eventually(async () => (await client.get('/v2/contacts')).error?.code === 'QUOTA_EXCEEDED');
}
