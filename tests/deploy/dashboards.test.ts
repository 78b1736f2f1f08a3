import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { pathOf } from '@mp/local-infra/test-tools';
import { createMetrics } from '@mp/service-kit/metrics';
import { stringify } from 'yaml';
import { dashboards } from '../../deploy/k8s/dashboards.ts';
import { serviceMetrics } from '../../scripts/generated-files.ts';
import { call, render, without } from './chart.ts';

const run = promisify(execFile);

const expressions = dashboards.flatMap(({ file, panels }) =>
  panels.flatMap(({ title, series }) => series.map(([expr]) => ({ where: `${file}: ${title}`, expr }))),
);

/** Metrics that Prometheus itself and kube-state-metrics export. */
const others = ['ALERTS', 'kube_deployment_status_replicas_available'];

async function exported(): Promise<ReadonlySet<string>> {
  const metrics = createMetrics('contacts');
  await metrics.start('127.0.0.1', 0);
  const ofNode = metrics.described().map(({ name }) => name);
  await metrics.stop();
  const ofServices = serviceMetrics().flatMap(({ name, type }) =>
    type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
  );
  return new Set([...others, ...ofNode, ...ofServices]);
}

/** The metrics of all services with a sample each, as Prometheus reads them. */
function exposition(): string {
  const samples = (name: string, type: string) =>
    type === 'histogram' ? [`${name}_bucket{le="+Inf"} 0`, `${name}_sum 0`, `${name}_count 0`] : [`${name} 0`];
  return serviceMetrics()
    .map(({ name, help, type }) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples(name, type), ''].join('\n'))
    .join('');
}

const metricsIn = (expr: string) => [...expr.matchAll(/([a-zA-Z_]\w*)\{/g)].map(([, name = '']) => name);

test('every expression of the dashboards is valid PromQL', { skip: without('promtool') }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'dashboards-'));
  t.after(() => rm(folder, { recursive: true }));
  const rules = expressions.map(({ expr }, index) => ({ record: `expression_${index}`, expr: expr.replaceAll('$__rate_interval', '5m') }));
  await writeFile(join(folder, 'rules.yaml'), stringify({ groups: [{ name: 'dashboards', rules }] }));
  const { stdout } = await call('promtool', ['check', 'rules', join(folder, 'rules.yaml')]);
  assert.match(stdout, new RegExp(`SUCCESS: ${expressions.length} rules found`));
});

test('every metric has a name that Prometheus recommends', { skip: without('promtool') }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'metrics-'));
  t.after(() => rm(folder, { recursive: true }));
  const complaints = async (text: string): Promise<string[]> => {
    const file = join(folder, 'metrics');
    await writeFile(file, text);
    const checked = run('sh', ['-c', '"$0" check metrics < "$1" 2>&1', pathOf('promtool') ?? '', file]);
    const { stdout } = await checked.catch((error: { stdout: string }) => error);
    return stdout.split('\n').filter((line) => line !== '');
  };
  // The name in OpenTelemetry's conventions for clients of databases.
  const found = (await complaints(exposition())).filter((line) => !line.startsWith('db_client_connection_count '));
  assert.deepEqual(found, []);
  assert.match((await complaints('# HELP requests Requests.\n# TYPE requests counter\nrequests 0\n')).join(), /_total/);
});

test('every metric of the dashboards and the alerts is exported by a service', { skip: without('helm') }, async () => {
  const known = await exported();
  const { spec } = (await render('lint')).find(({ kind }) => kind === 'PrometheusRule');
  const alerts: { where: string; expr: string }[] = spec.groups.flatMap(({ rules }: { rules: { alert: string; expr: string }[] }) =>
    rules.map(({ alert, expr }) => ({ where: alert, expr })),
  );
  for (const { where, expr } of [...expressions, ...alerts]) {
    const names = metricsIn(expr);
    assert.ok(names.length > 0, `${where} names no metric`);
    for (const name of names) assert.ok(known.has(name), `${where}: no service exports ${name}`);
  }
});

test('the chart has a ConfigMap with the label of the Grafana sidecar for each dashboard', { skip: without('helm') }, async () => {
  const maps = (await render('lint')).filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.labels.grafana_dashboard === '1');
  const titles = maps.flatMap(({ data }) => Object.values(data)).map((text) => JSON.parse(String(text)).title);
  assert.equal(titles.length, dashboards.length);
  assert.ok(titles.includes('Marketing platform') && titles.includes('Marketing platform: Campaigns'));
  const without = (await render('lint', 'metrics.dashboards.enabled=false')).filter(({ kind }) => kind === 'ConfigMap');
  assert.deepEqual(without, []);
});
