import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pathOf } from '@mp/local-infra/test-tools';
import { parseAllDocuments } from 'yaml';
import { customResources } from './kubernetes-schemas.ts';

const run = promisify(execFile);

export const root = new URL('../../', import.meta.url).pathname;
export const chart = join(root, 'deploy/k8s/marketing-platform');
export const valuesFiles = ['development', 'production', 'lint'] as const;
export type ValuesFile = (typeof valuesFiles)[number];

const chartTools = [
  'helm',
  'kubeconform',
  'kube-score',
  'nsc',
  'actionlint',
  'promtool',
  'prometheus',
  'kubernetes.json',
  ...customResources,
];

/** What a program reads in the tests. An installation that was interrupted may lack it. */
const readBy: Record<string, readonly string[]> = { kubeconform: ['kubernetes.json', ...customResources] };

/** The reason to skip tests that need these programs; false when all are installed, with what they read. */
export function without(...programs: string[]): string | false {
  const needed = programs.flatMap((program) => [program, ...(readBy[program] ?? [])]);
  const missing = needed.filter((file) => pathOf(file) === undefined);
  const script = `deploy/k8s/install-tools.sh${missing.some((program) => !chartTools.includes(program)) ? ' --cluster' : ''}`;
  return missing.length > 0 && `${missing.join(' and ')} not found; ${script} installs what is missing`;
}

export const call = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
  run(pathOf(program) ?? program, args, { env, maxBuffer: 32 * 1024 * 1024 });

/** Any rendered Kubernetes object: tests assert on its fields instead of declaring them. */
export type KubernetesObject = ReturnType<typeof JSON.parse>;

/** Required values that values-production.yaml leaves to the operator. */
const operators: Record<ValuesFile, readonly string[]> = { development: [], production: ['trustedProxies=10.0.0.0/8'], lint: [] };

async function template(values: ValuesFile, more: readonly string[] = []): Promise<string> {
  const file = join(chart, `values-${values}.yaml`);
  const own = operators[values].flatMap((set) => ['--set', set]);
  const fixed = ['template', 'test', chart, '--namespace', 'marketing', '--kube-version', '1.32.0', '-f', file];
  return (await call('helm', [...fixed, ...own, ...more])).stdout;
}

export const renderText = (values: ValuesFile, ...sets: string[]) =>
  template(
    values,
    sets.flatMap((set) => ['--set', set]),
  );

/** Renders the production values with more values, as a second file that the operator passes. */
export async function renderTextWith(values: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'values-'));
  try {
    const file = join(folder, 'values.json');
    await writeFile(file, JSON.stringify(values));
    return await template('production', ['-f', file]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const renderWith = async (values: object) => objectsIn(await renderTextWith(values));

export const render = async (values: ValuesFile, ...sets: string[]) => objectsIn(await renderText(values, ...sets));

const objectsIn = (text: string): KubernetesObject[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((object) => object !== null);
