import { type ChildProcess, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { acquireInfra } from '@mp/local-infra/infra';

/** Runs every measurement, or those whose name contains an argument, one after the other on the tests' MongoDB and NATS. */
const folder = new URL('../bench/', import.meta.url);
const wanted = process.argv.slice(2);
const benches = (await readdir(folder))
  .filter((name) => name.endsWith('.bench.ts') && (wanted.length === 0 || wanted.some((part) => name.includes(part))))
  .sort();
if (benches.length === 0) {
  process.stderr.write(`There is no measurement named like ${wanted.join(', ')}.\n`);
  process.exit(1);
}
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
