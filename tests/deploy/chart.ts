import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '@mp/local-infra/cache';
import { parseAllDocuments } from 'yaml';

const run = promisify(execFile);

export const root = new URL('../../', import.meta.url).pathname;
export const chart = join(root, 'deploy/k8s/marketing-platform');
export const tools = join(cacheFolder(), 'k8s-tools');
export const valuesFiles = ['development', 'production', 'lint'] as const;
export type ValuesFile = (typeof valuesFiles)[number];

const chartTools = ['helm', 'kubeconform', 'promtool'];

/** The reason to skip tests that need these programs; false when all are installed. */
export function without(...programs: string[]): string | false {
  const missing = programs.filter((program) => pathOf(program) === undefined);
  const script = `deploy/k8s/install-tools.sh${missing.some((program) => !chartTools.includes(program)) ? ' --cluster' : ''}`;
  return missing.length > 0 && `${missing.join(' and ')} not found; ${script} installs what is missing`;
}

export function pathOf(program: string): string | undefined {
  const folders = [tools, ...(process.env.PATH ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, program)).find(existsSync);
}

export const call = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
  run(pathOf(program) ?? program, args, { env, maxBuffer: 32 * 1024 * 1024 });

/** Any rendered Kubernetes object: tests assert on its fields instead of declaring them. */
export type KubernetesObject = ReturnType<typeof JSON.parse>;

/** Required values that values-production.yaml leaves to the operator. */
const operators: Record<ValuesFile, readonly string[]> = { development: [], production: ['trustedProxies=10.0.0.0/8'], lint: [] };

export async function renderText(values: ValuesFile, ...sets: string[]): Promise<string> {
  const args = [
    'template',
    'test',
    chart,
    '--namespace',
    'marketing',
    '--kube-version',
    '1.32.0',
    '-f',
    join(chart, `values-${values}.yaml`),
  ];
  const { stdout } = await call('helm', [...args, ...[...operators[values], ...sets].flatMap((set) => ['--set', set])]);
  return stdout;
}

export async function render(values: ValuesFile, ...sets: string[]): Promise<KubernetesObject[]> {
  const documents = parseAllDocuments(await renderText(values, ...sets));
  return documents.map((document) => document.toJS()).filter((object) => object !== null);
}
