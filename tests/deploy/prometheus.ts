import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type ServiceName, serviceNames } from '@mp/contracts/services';
import { freePort } from '@mp/local-infra/free-port';
import { pathOf } from '@mp/local-infra/test-tools';
import { eventually } from '@mp/test-kit/eventually';
import { stringify } from 'yaml';
import { z } from 'zod';
import type { Platform } from '../platform.ts';
import { call, render } from './chart.ts';

const Series = z.object({ data: z.object({ result: z.array(z.object({ metric: z.record(z.string(), z.string()) })) }) });

type Options = {
  services?: readonly ServiceName[];
  /** Values of the chart, such as thresholds. */
  sets?: readonly string[];
  /** Series that were 0 in the past 75 minutes. */
  past?: readonly string[];
};

/** A real Prometheus with the rules of the chart that scrapes the services of the platform each second. Resolves with a query. */
export async function startPrometheus(t: TestContext, platform: Platform, { services = serviceNames, sets = [], past = [] }: Options = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  const port = await freePort();
  const rules = (await render('lint', ...sets)).find(({ kind }) => kind === 'PrometheusRule').spec;
  await writeFile(join(folder, 'rules.yaml'), stringify(rules));
  const static_configs = services.map((name) => ({
    targets: [platform.metricsAddress(name)],
    labels: { namespace: 'marketing', pod: `${name}-0` },
  }));
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    scrape_configs: [{ job_name: 'platform', static_configs }],
  };
  await writeFile(join(folder, 'prometheus.yaml'), stringify(config));
  if (past.length > 0) {
    const now = Math.floor(Date.now() / 1_000);
    const samples = past.flatMap((series) => Array.from({ length: 75 }, (_, minute) => `${series} 0 ${now - (75 - minute) * 60}`));
    await writeFile(join(folder, 'past'), `${samples.join('\n')}\n# EOF\n`);
    await call('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', join(folder, 'past'), join(folder, 'data')]);
  }
  const at = ['--config.file', join(folder, 'prometheus.yaml'), '--storage.tsdb.path', join(folder, 'data')];
  const child = spawn(pathOf('prometheus') ?? 'prometheus', [...at, '--web.listen-address', `127.0.0.1:${port}`], { stdio: 'ignore' });
  t.after(async () => {
    const gone = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGKILL')) await gone;
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const query = async (expr: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query: expr }) });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${expr}: ${text}`);
    return Series.parse(JSON.parse(text)).data.result.map(({ metric }) => metric);
  };
  await eventually(async () => (await query('up == 1').catch(() => [])).length === services.length);
  return query;
}
