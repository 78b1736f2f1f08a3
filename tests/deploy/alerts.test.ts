import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { stringify } from 'yaml';
import { type AlertCase, alertCases } from './alert-cases.ts';
import { call, render, without } from './chart.ts';

const needed = { skip: without('helm', 'promtool') };
const usualMinutes = 40;

async function chartRules(): Promise<{ groups: { rules: { alert: string }[] }[] }> {
  return (await render('lint')).find(({ kind }) => kind === 'PrometheusRule').spec;
}

/** Promtool tests: the alert fires once with its summary, and stays silent otherwise. */
function testsOf({ alert, fires, silent, labels = {}, severity, summary, after = usualMinutes }: AlertCase) {
  const firing = [{ exp_labels: { severity, ...labels }, exp_annotations: { summary } }];
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

test('every alert fires when it must, with its summary, and is silent otherwise', needed, async (t) => {
  const rules = await chartRules();
  assert.deepEqual(
    alertCases.map(({ alert }) => alert),
    rules.groups.flatMap((group) => group.rules.map(({ alert }) => alert)),
    'every alert has a case',
  );
  const folder = await mkdtemp(join(tmpdir(), 'alerts-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'rules.yaml'), stringify(rules));
  const run = async (name: string, cases: readonly AlertCase[]) => {
    const file = join(folder, `${name}.yaml`);
    await writeFile(file, stringify({ rule_files: ['rules.yaml'], evaluation_interval: '1m', tests: cases.flatMap(testsOf) }));
    return call('promtool', ['test', 'rules', file]);
  };
  const { stdout } = await call('promtool', ['check', 'rules', join(folder, 'rules.yaml')]);
  assert.match(stdout, new RegExp(`SUCCESS: ${alertCases.length} rules found`));
  await run('cases', alertCases);
  // Proves that these promtool tests can fail.
  const [first] = alertCases;
  await assert.rejects(run('wrong', first ? [{ ...first, summary: 'Other words.' }] : []), /FAILED/);
});
