import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { dashboards } from '../../deploy/k8s/dashboards.ts';
import { createClient } from '../client.ts';
import { startPlatform } from '../platform.ts';
import { without } from './chart.ts';
import { startPrometheus } from './prometheus.ts';

const patience = 180_000;

/** Panels that are empty while nothing fails, and no webhook is disabled and no account deleted, of which the gateway gets events. */
const isEmptyWhenHealthy = (where: string) =>
  where === 'overview: Firing alerts' ||
  where.endsWith(': Failed requests by route') ||
  where === 'gateway: Age of events, 99th percentile';

test('every panel of the dashboards shows series of a running platform, with all labels of its legend', {
  skip: without('helm', 'prometheus'),
}, async (t) => {
  const receiver = createServer((_request, response) => void response.end());
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  t.after(() => void receiver.close());
  const platform = await startPlatform(t, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' }, metrics: true });
  const query = await startPrometheus(t, platform);
  const client = await platform.client('--permission', 'admin', '--account', 'panels');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  assert.equal((await client.post('/v2/webhooks', { url, events: ['contact.created'] })).status, 201);
  let people = 0;
  const work = async () => {
    people += 1;
    const email = `p${people}@example.com`;
    await client.post('/v2/contacts', { email });
    await client.get('/v2/segments');
    await createClient(platform.url, undefined).get('/v2/segments');
    await client.post('/v2/leadpulse/track', { event: 'seen', visitor_id: 'v1' });
    const content = { subject: 'Receipt', text: 'Thank you' };
    await client.post('/v2/campaigns/messages', { from: { email: 'shop@example.com' }, to: { email }, content });
  };

  const panels = dashboards.flatMap(({ file, panels }) =>
    panels.flatMap(({ title, series }) => series.map(([expr, legend]) => ({ where: `${file}: ${title}`, expr, legend }))),
  );
  const shown = panels.filter(({ where }) => !isEmptyWhenHealthy(where));
  const missing = async ({ where, expr, legend }: (typeof panels)[number]) => {
    const found = await query(expr.replaceAll('$namespace', 'marketing').replaceAll('$__rate_interval', '30s'));
    const labels = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
    if (found.length === 0) return [where];
    return found.every((metric) => labels.every((label) => metric[label])) ? [] : [`${where}: no ${labels.join(' and ')}`];
  };
  let empty: string[] = [];
  await eventually(async () => {
    await work();
    empty = (await Promise.all(shown.map(missing))).flat();
    return empty.length === 0;
  }, patience).catch(() => assert.deepEqual(empty, []));

  await t.test('an unavailable service is in the panels of failures, and its alert is pending', async () => {
    await platform.stop('segments', 'SIGKILL');
    await eventually(async () => {
      await client.get('/v2/segments');
      const failed = await query('sum by (status) (rate(gateway_requests_total{namespace="marketing", status=~"5.."}[30s])) > 0');
      const pending = await query('ALERTS{alertname="PlatformCircuitOpen"}');
      return failed.length > 0 && pending.length > 0;
    }, patience);
  });
});
