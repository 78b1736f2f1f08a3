import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ServiceName } from '@mp/contracts/services';
import { streams } from '@mp/contracts/streams';
import { pause } from '@mp/service-kit/backoff';
import { natsAddress } from '@mp/service-kit/nats-address';
import { eventually } from '@mp/test-kit/eventually';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { stringify } from 'yaml';
import { dashboards } from '../../deploy/k8s/dashboards.ts';
import { startMailSink } from '../mail-sink.ts';
import { type Platform, startPlatform } from '../platform.ts';
import { alertCases } from './alert-cases.ts';
import { call, render, root, without } from './chart.ts';
import { startPrometheus } from './prometheus.ts';

const patience = 180_000;

/** A line that names the reason of a failure. */
const reason = /"(?:message|reason)":"[^"]/;

/** The minutes within which each fault pages. */
const maxMinutes = {
  PlatformMailServerUnavailable: 10,
  PlatformMailWaiting: 15,
  PlatformWebhooksUnanswered: 15,
  PlatformOutboxStuck: 15,
  PlatformStreamLost: 2,
};
type Fault = keyof typeof maxMinutes;

/** The samples of a service, by series. */
async function scrape(platform: Platform, service: ServiceName): Promise<Map<string, number>> {
  const lines = (await platform.metrics(service)).split('\n').filter((line) => /^(?!nodejs_|process_)\w+(\{.*\})? \S+$/.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

const sampleOf = (samples: ReadonlyMap<string, number>, ...parts: string[]) =>
  [...samples].find(([series]) => parts.every((part) => series.includes(part)))?.[1] ?? 0;

/** Checks that the panel of the alert's runbook shows what changed. */
async function assertShown(alert: Fault, before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  const changed = [...after].filter(([series, value]) => value !== (before.get(series) ?? 0)).map(([series]) => metricOf(series));
  const shown = await panelMetricsOf(alert);
  assert.ok(
    changed.some((metric) => shown.includes(metric)),
    `the panel of ${alert} shows ${shown}, and these changed: ${changed}`,
  );
}

/**
 * Lets promtool evaluate the rules of the chart on an hour of earlier samples, followed by an hour in which the change continues: a
 * counter keeps growing, and the age of waiting items grows with time. The alert is silent until then and fires within its time.
 */
async function assertWouldFire(t: TestContext, alert: Fault, before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  const folder = await mkdtemp(join(tmpdir(), 'alerts-'));
  t.after(() => rm(folder, { recursive: true }));
  const { groups } = (await render('lint')).find(({ kind }) => kind === 'PrometheusRule').spec;
  const rules = groups
    .flatMap((group: { rules: { alert: string }[] }) => group.rules)
    .filter((rule: { alert: string }) => rule.alert === alert);
  await writeFile(join(folder, 'rules.yaml'), stringify({ groups: [{ name: 'chart', rules }] }));
  const input_series = [...after].map(([series, value]) => {
    const earlier = before.get(series) ?? 0;
    const step = value <= earlier ? 0 : /^\w+_total\b/.test(series) ? value - earlier : /^\w+_seconds\{/.test(series) ? 60 : 0;
    const [name = '', labels = '}'] = series.split('{');
    return { series: `${name}{namespace="marketing",${labels}`, values: `${earlier}x60 ${value}+${step}x60` };
  });
  const expected = alertCases.find((one) => one.alert === alert);
  const exp_alerts = [
    {
      exp_labels: { severity: expected?.severity, ...expected?.labels },
      exp_annotations: { summary: expected?.summary, runbook_url: `docs/runbooks/${alert}.md` },
    },
  ];
  const alert_rule_test = [
    { eval_time: '60m', alertname: alert, exp_alerts: [] },
    { eval_time: `${61 + maxMinutes[alert]}m`, alertname: alert, exp_alerts },
  ];
  const tests = [{ interval: '1m', input_series, alert_rule_test }];
  await writeFile(join(folder, 'test.yaml'), stringify({ rule_files: ['rules.yaml'], evaluation_interval: '1m', tests }));
  await call('promtool', ['test', 'rules', join(folder, 'test.yaml')]);
}

const pageOf = (alert: Fault) => readFile(join(root, `docs/runbooks/${alert}.md`), 'utf8');

/** The text of the log search in the runbook of this alert. */
async function logSearchOf(alert: Fault): Promise<string> {
  return /Search the log of .+? for `(.+?)`/.exec(await pageOf(alert))?.[1] ?? assert.fail(`${alert} names no log line`);
}

const metricOf = (series: string) => series.replace(/\{.*/, '');

/** The metrics in the panel that the runbook of this alert names. */
async function panelMetricsOf(alert: Fault): Promise<string[]> {
  const [, title, name] = /Dashboard \*\*(.+?)\*\*, panel \*\*(.+?)\*\*/.exec(await pageOf(alert)) ?? [];
  const panel = dashboards.find((one) => one.title === title)?.panels.find((one) => one.title === name);
  return (panel?.series ?? []).flatMap(([expr]) => expr.match(/\w+(?=\{)/g) ?? []);
}

/** Forwards to the mail server while it is up. */
async function startMailServer(t: TestContext) {
  const sink = await startMailSink(t);
  const open = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  const up = async () => {
    const listening = createServer((socket) => {
      const onward = connectTcp(Number(new URL(sink.url).port), '127.0.0.1');
      for (const one of [socket, onward]) {
        open.add(one);
        one.on('error', () => undefined).once('close', () => open.delete(one));
      }
      socket.pipe(onward).pipe(socket);
    });
    server = listening;
    listening.listen(port, '127.0.0.1');
    await once(listening, 'listening');
    port = (listening.address() as AddressInfo).port;
  };
  const down = () => {
    server?.close();
    for (const socket of open) socket.destroy();
  };
  t.after(down);
  await up();
  return { url: `smtp://127.0.0.1:${port}`, up, down, sink };
}

test('each fault fires its alert in time, the panel and the log search of its runbook show the cause, and the fix ends it', {
  skip: without('helm', 'promtool', 'prometheus'),
}, async (t) => {
  const mail = await startMailServer(t);
  let hangs = false;
  const receiver = createHttpServer((_request, response) => void (hangs || response.end('ok')));
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  t.after(() => receiver.closeAllConnections());
  t.after(() => void receiver.close());
  const hooks = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const services = ['gateway', 'contacts', 'campaigns', 'workflows'] as const;
  const platform = await startPlatform(t, {
    services,
    env: { SMTP_URL: mail.url, WEBHOOK_ALLOW_PRIVATE: 'true' },
    ownInfra: true,
    metrics: true,
  });
  const client = await platform.client('--permission', 'admin', '--account', 'faults');
  // The chart's own time limits, except that emails are late after one minute instead of five, so that both mail alerts fire together.
  const query = await startPrometheus(t, platform, {
    services,
    sets: ['metrics.prometheusRule.thresholds.queuedMailSeconds=60'],
    past: ['stream_losses{namespace="marketing",service="contacts"}'],
  });
  const firing = async (alert: Fault) => {
    const [labels] = await query(`ALERTS{alertname="${alert}", alertstate="firing"}`);
    return labels;
  };
  /** Waits until Prometheus fires the alert, with the labels that a page or ticket shows. */
  const assertFires = async (alert: Fault, since: number) => {
    const isFiring = () => pause(1_000).then(() => firing(alert));
    const labels = await eventually(isFiring, since + maxMinutes[alert] * 60_000 - Date.now());
    const expected = alertCases.find((one) => one.alert === alert);
    const { __name__, alertname, alertstate, ...shown } = labels;
    assert.deepEqual(shown, { severity: expected?.severity, ...expected?.labels });
    t.diagnostic(`${alert} fired after ${Math.round((Date.now() - since) / 1_000)} s`);
  };
  /** Waits until the log search of the runbook finds a line that names the cause. */
  const logNames = async (service: ServiceName, alert: Fault, cause: RegExp) => {
    const search = await logSearchOf(alert);
    const lines = async () => (await platform.log(service)).split('\n').filter((line) => line.includes(search));
    await eventually(async () => (await lines()).some((line) => cause.test(line)), patience);
  };
  let people = 0;
  const addContact = async () => {
    people += 1;
    assert.equal((await client.post('/v2/contacts', { email: `p${people}@example.com` })).status, 201);
  };

  await t.test('the mail server is killed', async () => {
    const mailAlerts = ['PlatformMailServerUnavailable', 'PlatformMailWaiting'] as const;
    const send = async () => {
      const content = { subject: 'Receipt', text: 'Thank you' };
      const message = { from: { email: 'shop@example.com' }, to: { email: 'ada@example.com' }, content };
      // A template's time limit is short for a busy machine.
      const { status, text } = await eventually(async () => {
        const response = await client.post('/v2/campaigns/messages', message);
        return !response.text.includes('takes too much time') && response;
      }, patience);
      assert.equal(status, 202, text);
    };
    await send();
    await eventually(async () => mail.sink.caught.length === 1, patience);
    const before = await scrape(platform, 'campaigns');
    for (const alert of mailAlerts) assert.equal(await firing(alert), undefined);
    const since = Date.now();
    mail.down();
    await send();
    const after = await eventually(async () => {
      const samples = await scrape(platform, 'campaigns');
      const unreachable = sampleOf(samples, 'campaign_delivery_attempts_total', 'outcome="unreachable"');
      return unreachable > 1 && sampleOf(samples, 'campaign_oldest_queued_email_seconds', 'kind="message"') > 0 && samples;
    }, patience);
    for (const alert of mailAlerts) {
      await assertShown(alert, before, after);
      await logNames('campaigns', alert, reason);
      await assertFires(alert, since);
    }
    await mail.up();
    await eventually(async () => mail.sink.caught.length === 2, patience);
    await eventually(
      async () => sampleOf(await scrape(platform, 'campaigns'), 'campaign_oldest_queued_email_seconds', 'kind="message"') === 0,
      patience,
    );
    const accepted = (samples: ReadonlyMap<string, number>) => sampleOf(samples, 'campaign_delivery_attempts_total', 'outcome="accepted"');
    await eventually(async () => accepted(await scrape(platform, 'campaigns')) > accepted(after), patience);
    for (const alert of mailAlerts) await eventually(async () => (await firing(alert)) === undefined, patience);
  });

  await t.test('a webhook hangs', async (t) => {
    const { status, data: webhook } = await client.post('/v2/webhooks', { url: hooks, events: ['contact.created'] });
    assert.equal(status, 201);
    await addContact();
    const delivered = async () =>
      sampleOf(await scrape(platform, 'workflows'), 'webhook_requests_total', 'delivery', 'outcome="delivered"');
    await eventually(async () => (await delivered()) === 1, patience);
    const before = await scrape(platform, 'workflows');
    hangs = true;
    await addContact();
    const after = await eventually(async () => {
      const samples = await scrape(platform, 'workflows');
      return sampleOf(samples, 'webhook_requests_total', 'delivery', 'outcome="unanswered"') > 0 && samples;
    }, patience);
    hangs = false;
    receiver.closeAllConnections();
    await assertShown('PlatformWebhooksUnanswered', before, after);
    await assertWouldFire(t, 'PlatformWebhooksUnanswered', before, after);
    const { host } = new URL(hooks);
    await logNames('workflows', 'PlatformWebhooksUnanswered', new RegExp(`(?=.*"account_id":"account_)(?=.*"host":"${host}")`));
    // The second attempt may also have hung; the third is minutes later.
    await addContact();
    await eventually(async () => (await delivered()) >= 2, patience);
    assert.equal((await client.delete(`/v2/webhooks/${webhook.id}`)).status, 200);
  });

  await t.test('the outbox fills, because NATS does not respond', async (t) => {
    const oldest = async () => sampleOf(await scrape(platform, 'contacts'), 'outbox_oldest_event_seconds');
    await eventually(async () => (await oldest()) === 0, patience);
    const before = await scrape(platform, 'contacts');
    await platform.signalServer('nats', 'SIGSTOP');
    t.after(() => platform.signalServer('nats', 'SIGCONT'));
    await addContact();
    await eventually(async () => (await oldest()) > 1, patience);
    const after = await scrape(platform, 'contacts');
    await assertShown('PlatformOutboxStuck', before, after);
    await assertWouldFire(t, 'PlatformOutboxStuck', before, after);
    await logNames('contacts', 'PlatformOutboxStuck', reason);
    await platform.signalServer('nats', 'SIGCONT');
    await eventually(async () => (await oldest()) === 0, patience);
    const published = (samples: ReadonlyMap<string, number>) => sampleOf(samples, 'outbox_published_events_total');
    await eventually(async () => published(await scrape(platform, 'contacts')) > published(before), patience);
  });

  await t.test('a stream is deleted', async () => {
    assert.equal(await firing('PlatformStreamLost'), undefined);
    const since = Date.now();
    const before = await scrape(platform, 'contacts');
    const operator = await connect(natsAddress(platform.infra.env.NATS_URL ?? ''));
    await (await jetstreamManager(operator)).streams.delete(`${platform.namespace}_${streams.contacts.name}`);
    await operator.close();
    await addContact();
    const lost = () => scrape(platform, 'contacts').then((samples) => sampleOf(samples, 'stream_losses') === 1 && samples);
    const after = await eventually(lost, patience);
    await assertShown('PlatformStreamLost', before, after);
    await assertFires('PlatformStreamLost', since);
    await logNames('contacts', 'PlatformStreamLost', /CONTACTS/);
    await eventually(async () => {
      const services = await Promise.all((['contacts', 'campaigns', 'workflows'] as const).map((name) => scrape(platform, name)));
      const lags = services.flatMap((samples) => [...samples].filter(([series]) => series.startsWith('consumer_lag_events')));
      const isPublished = services.every((samples) => sampleOf(samples, 'outbox_pending_rows') === 0);
      return isPublished && lags.length > 0 && lags.every(([, lag]) => lag === 0);
    }, patience);
  });
});
