import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startPlatform } from './platform.ts';

const root = new URL('../', import.meta.url).pathname;

type Seen = { contact_id: string | null; page: { title: string | null } | null };

test('a demo of 500 contacts ends, and its live page has people, countries and titles', async (t) => {
  const platform = await startPlatform(t);
  const began = Date.now();
  const demo = spawn(process.execPath, ['scripts/demo.ts', '--url', platform.url, '--contacts', '500'], {
    cwd: root,
    env: { ...process.env, ...platform.infra.env, NAMESPACE: platform.namespace, NODE_ENV: 'development' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(demo, 'exit');
  const seconds = Math.round((Date.now() - began) / 1_000);
  t.diagnostic(`${seconds} s`);
  assert.equal(code, 0);
  const client = await platform.client('--permission', 'admin', '--account', 'demo');
  const live = await eventually(async () => {
    const { data } = await client.get('/v2/leadpulse/live');
    return data.visitors >= 15 && data;
  });
  const countries = live.countries.filter(({ value }: { value: string | null }) => value !== null);
  assert.ok(countries.length > 1, JSON.stringify(live.countries));
  const { items } = (await client.get('/v2/leadpulse/events?event=%24pageview&limit=20')).data;
  assert.ok(
    items.some(({ contact_id }: Seen) => contact_id !== null) && items.every(({ page }: Seen) => page?.title),
    JSON.stringify(items),
  );
});
