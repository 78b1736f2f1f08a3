import { type ChildProcess, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { acquireInfra } from '@mp/local-infra/infra';
import { readOptions, refuse } from './read-options.ts';

/** Runs all benchmarks, or those whose name contains an argument, one by one on the MongoDB and NATS of the tests. */
const folder = new URL('../bench/', import.meta.url);
const all = (await readdir(folder)).filter((name) => name.endsWith('.bench.ts')).sort();
const usage = `npm run bench -- [NAME …]
Runs all benchmarks in bench/, or those whose name contains NAME: ${all.map((name) => name.replace('.bench.ts', '')).join(', ')}.`;
const { positionals: wanted } = readOptions(usage, {}, { positionals: true });
const benches = all.filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
if (benches.length === 0) refuse(`No benchmark matches ${wanted.join(' or ')}.`, usage);
const infra = await acquireInfra({
  dir: new URL('../.data/test', import.meta.url).pathname,
  report: (line) => process.stderr.write(`${line}\n`),
});
let failed = false;
let child: ChildProcess | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child?.kill(signal));
for (const name of benches) {
  const running = spawn(process.execPath, [new URL(name, folder).pathname], {
    env: { ...infra.env, ...process.env, NODE_ENV: 'production' },
    stdio: 'inherit',
  });
  child = running;
  failed = (await new Promise<number | null>((resolve) => running.once('exit', resolve))) !== 0 || failed;
}
await infra.release();
process.exit(failed ? 1 : 0);
