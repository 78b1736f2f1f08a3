import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { klaviyoAccount, recordedServer } from '../libs/move-in/test/recorded-server.ts';
import { startMailSink } from './mail-sink.ts';
import { startPlatform } from './platform.ts';

const mp = join(import.meta.dirname, '../libs/cli/src/mp.ts');
const people = Array.from({ length: 50 }, (_, index) => `p${index}@example.com`);
const [lapsed = '', buyer = ''] = people;
const ago = (days: number) => new Date(Date.now() - days * 24 * 3_600_000).toISOString();
const ordersEach = 40;
const orders = people.flatMap((email, person) =>
  Array.from({ length: ordersEach }, (_, index) => ({
    ...{ id: `e${person}-${index}`, name: 'Placed Order', email, datetime: ago(email === lapsed ? 200 : 10) },
    event_properties: { $value: email === buyer ? 3 : 2 },
  })),
);
const opened = { id: 'opened', name: 'Opened Email', email: lapsed, datetime: ago(1) };
const marketing = { consent: 'SUBSCRIBED', consent_timestamp: ago(300) };
const klaviyo = klaviyoAccount(
  people.map((email) => ({ email, subscriptions: { email: { marketing } } })),
  { events: [...orders, opened] },
);

test('Klaviyo events come once, even when the import is killed, count in segments and revenue, and start no workflow', async (t) => {
  const sink = await startMailSink(t);
  const platform = await startPlatform(t, { env: { SMTP_URL: sink.url } });
  const client = await platform.client('--permission', 'admin');
  const from = { email: 'news@example.com', name: 'News' };
  const steps = [{ id: 'mail', type: 'send', category: 'transactional', subject: 'Hi', html: '<p>Hi</p>', from }];
  const workflow = await client.post('/v2/workflows', { name: 'Thanks', trigger: { type: 'event', name: 'Placed Order' }, steps });
  assert.equal(workflow.status, 201, JSON.stringify(workflow.body));
  const runs = async () => (await client.get(`/v2/workflows/${workflow.data.id}/runs?limit=100`)).data.items.length;

  const server = await recordedServer(t, klaviyo);
  const folder = await mkdtemp(join(tmpdir(), 'move-in-events-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: folder,
    MP_API_KEY: client.key ?? '',
    MP_BASE_URL: platform.url,
    KLAVIYO_API_KEY: 'pk_secret',
  };
  function start(...more: string[]) {
    const child = spawn(process.execPath, [mp, 'import', '--from', 'klaviyo', '--url', server.url, '--output', 'json', ...more], { env });
    child.stdin.end();
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    const ended = Promise.all([text(child.stdout), text(child.stderr), closed]).then(([out, err, code]) => ({
      ...{ code, err, result: out === '' ? undefined : JSON.parse(out) },
    }));
    return { child, ended };
  }

  const dry = await start('--dry-run').ended;
  assert.equal(dry.code, 0, dry.err);
  assert.deepEqual(dry.result.report.events, [{ name: 'Placed Order', count: orders.length }]);
  assert.match(JSON.stringify(dry.result.report.skipped), /Opened Email/);
  assert.match(JSON.stringify(dry.result.report.stays_behind), /events before \d{4}-/);

  const later = await start('--dry-run', '--events-since', ago(30).slice(0, 10)).ended;
  assert.deepEqual(later.result.report.events, [{ name: 'Placed Order', count: orders.length - ordersEach }]);
  const none = await start('--dry-run', '--events-since', 'none').ended;
  assert.deepEqual(none.result.report.events, []);
  assert.match(JSON.stringify(none.result.report.stays_behind), /events: --events-since none/);
  const wrong = await start('--dry-run', '--events-since', 'spring').ended;
  assert.match(wrong.err, /must be a day such as 2025-01-31, or none/);

  const { child, ended } = start('--yes');
  const state = async () => {
    const [name] = (await readdir(join(folder, 'marketing-platform'))).filter((file) => file.endsWith('.json'));
    return name === undefined ? '' : readFile(join(folder, 'marketing-platform', name), 'utf8').catch(() => '');
  };
  await eventually(async () => /"events":\{[^{}]*"position"/.test(await state()) || child.exitCode !== null);
  assert.equal(child.exitCode, null, 'not killed among the events');
  child.kill('SIGKILL');
  await ended;
  const first = await start('--yes').ended;
  assert.equal(first.code, 0, first.err);
  const { created, unchanged } = first.result.written.steps.events;
  assert.equal(created + unchanged, orders.length);
  const again = await start('--yes').ended;
  assert.deepEqual(again.result.written.steps.events, { created: 0, updated: 0, unchanged: orders.length, failed: 0 });

  const definition = { event: 'Placed Order', count: { gte: 1 }, in_last: 'P90D' };
  const segment = await client.post('/v2/segments', { name: 'Recent buyers', definition });
  assert.equal(segment.status, 201, JSON.stringify(segment.body));
  await eventually(async () => (await client.get(`/v2/segments/${segment.data.id}`)).data.count === people.length - 1);
  const spent = { event: 'Placed Order', sum: { of: 'value.amount', currency: 'EUR', eq: ordersEach * 3 } };
  const best = await client.post('/v2/segments', { name: 'Best buyers', definition: spent });
  assert.equal(best.status, 201, JSON.stringify(best.body));
  await eventually(async () => (await client.get(`/v2/segments/${best.data.id}`)).data.count === 1);

  // What the import caused has reached workflows once this event has.
  await client.post('/v2/leadpulse/track', { event: 'Placed Order', email: buyer });
  await eventually(async () => (await runs()) > 0);
  await eventually(async () => sink.caught.length > 0);
  assert.equal(await runs(), 1);
  assert.deepEqual(
    sink.caught.map(({ to }) => to),
    [buyer],
  );
});
