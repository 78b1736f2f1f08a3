import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { stringify } from 'yaml';
import type { AlertCase } from './alert-case.ts';
import { alertCases } from './alert-cases.ts';
import { call, render, without } from './chart.ts';

const needed = { skip: without('helm', 'promtool') };
const usualMinutes = 40;

type Rules = { groups: { rules: { alert: string; for?: string; labels: { severity: string }; annotations: { runbook_url: string } }[] }[] };

async function chartRules(...sets: string[]): Promise<Rules> {
  return (await render('lint', ...sets)).find(({ kind }) => kind === 'PrometheusRule').spec;
}

/** Promtool tests: the alert fires once with its summary, and stays silent otherwise. */
function testsOf({ alert, fires, silent, labels = {}, severity, summary, after = usualMinutes }: AlertCase) {
  const firing = [{ exp_labels: { severity, ...labels }, exp_annotations: { summary, runbook_url: `docs/runbooks/${alert}.md` } }];
  const withSeries = (series: Record<string, string>, expected: object[], namespace = 'marketing') => ({
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: inNamespace(name, namespace), values })),
    alert_rule_test: [{ eval_time: `${after}m`, alertname: alert, exp_alerts: expected }],
  });
  // The same series of another installation must not fire here.
  const elsewhere = Object.keys(fires).length === 0 ? [] : [withSeries(fires, [], 'another')];
  return [withSeries(fires, firing), ...silent.map((series) => withSeries(series, [])), ...elsewhere];
}

function inNamespace(name: string, namespace: string): string {
  const [metric = '', labels = ''] = name.split(/[{}]/);
  return `${metric}{namespace="${namespace}"${labels && `,${labels}`}}`;
}

test('every alert fires when it should, with its summary, and is silent otherwise', needed, async (t) => {
  const rules = await chartRules();
  assert.deepEqual(
    alertCases.map(({ alert }) => alert),
    rules.groups.flatMap((group) => group.rules.map(({ alert }) => alert)),
    'every alert has a case',
  );
  const folder = await mkdtemp(join(tmpdir(), 'alerts-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'rules.yaml'), stringify(rules));
  // A file for each alert with its rule alone: promtool evaluates every rule of a file at every minute of every test.
  const testFile = async (name: string, alertCase: AlertCase) => {
    const groups = [{ name, rules: rules.groups.flatMap((group) => group.rules).filter(({ alert }) => alert === alertCase.alert) }];
    await writeFile(join(folder, `${name}-rule.yaml`), stringify({ groups }));
    const file = join(folder, `${name}.yaml`);
    await writeFile(file, stringify({ rule_files: [`${name}-rule.yaml`], evaluation_interval: '1m', tests: testsOf(alertCase) }));
    return file;
  };
  const { stdout } = await call('promtool', ['check', 'rules', join(folder, 'rules.yaml')]);
  assert.match(stdout, new RegExp(`SUCCESS: ${alertCases.length} rules found`));
  await call('promtool', ['test', 'rules', ...(await Promise.all(alertCases.map((one) => testFile(one.alert, one))))]);
  // Proves that these promtool tests can fail.
  const [first] = alertCases;
  const wrong = first ? [await testFile('wrong', { ...first, summary: 'Other words.' })] : [];
  await assert.rejects(call('promtool', ['test', 'rules', ...wrong]), ({ stderr, stdout }) => /FAILED/.test(`${stderr}${stdout}`));
});

test('no alert fires in the first minute of a Prometheus that has no data yet', needed, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'alerts-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'rules.yaml'), stringify(await chartRules()));
  const alert_rule_test = alertCases.map(({ alert }) => ({ eval_time: '1m', alertname: alert, exp_alerts: [] }));
  const tests = [{ interval: '1m', input_series: [{ series: 'up{job="another"}', values: '1x5' }], alert_rule_test }];
  await writeFile(join(folder, 'test.yaml'), stringify({ rule_files: ['rules.yaml'], evaluation_interval: '1m', tests }));
  await call('promtool', ['test', 'rules', join(folder, 'test.yaml')]);
});

test('thresholds, objectives, links and single alerts can be changed in the values', needed, async () => {
  const prefix = 'metrics.prometheusRule';
  const rules = await chartRules(
    `${prefix}.thresholds.outboxSeconds=60`,
    `${prefix}.slo.latencySeconds=1`,
    `${prefix}.runbookUrl=https://wiki.example.com/runbooks/`,
    `${prefix}.overrides.PlatformQuotaExceeded.enabled=false`,
    `${prefix}.overrides.PlatformMaintenance.for=1h`,
    `${prefix}.overrides.PlatformMaintenance.severity=critical`,
  );
  const all = rules.groups.flatMap((group) => group.rules);
  const text = JSON.stringify(all);
  assert.match(text, /outbox_oldest_event_seconds\{[^}]*\}\) > 60"/);
  assert.match(text, /le=\\"1\\"/);
  assert.ok(!all.some(({ alert }) => alert === 'PlatformQuotaExceeded'));
  const maintenance = all.find(({ alert }) => alert === 'PlatformMaintenance');
  assert.deepEqual([maintenance?.for, maintenance?.labels.severity], ['1h', 'critical']);
  for (const { alert, annotations } of all) assert.equal(annotations.runbook_url, `https://wiki.example.com/runbooks/${alert}.md`);
  await assert.rejects(chartRules(`${prefix}.slo.latencySeconds=2`), /schema/, 'no bucket has this bound');
});
