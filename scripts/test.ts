import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { dropLeftovers } from '@mp/local-infra/drop-leftovers';
import { acquireInfra } from '@mp/local-infra/infra';
import { startContainers } from '@mp/test-kit/containers';

const root = join(import.meta.dirname, '..');
const began = Date.now();

const args = process.argv.slice(2);
const faults = args.includes('--faults');
const flags = args.filter((arg) => arg.startsWith('--') && arg !== '--faults');
const filters = args.filter((arg) => !arg.startsWith('--'));

const files = testFiles().filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)));
if (files.length === 0) fail(new Error(filters.length > 0 ? `No test file matches ${filters.join(' or ')}.` : 'There are no test files.'));

const dir = join(root, '.data', 'test');
const containers = process.env.TEST_INFRA === 'containers' ? await startContainers().catch(fail) : undefined;
if (containers) {
  process.env.MONGODB_URL = containers.mongoUrl;
  process.env.NATS_URL = containers.natsUrl;
}
const infra = await acquireInfra({ dir, report: (line) => console.log(line) }).catch(fail);
if (!process.env.MONGODB_URL) {
  const dropped = await dropLeftovers(dir, infra.mongoUrl).catch(fail);
  if (dropped > 0) console.log(`dropped ${dropped} databases from earlier test runs`);
}

// Only to end a test that hangs: 30 seconds can become four minutes on a busy machine, and tests of faults take minutes.
const minuteMs = 60_000;
const given = flags.map((flag) => /^--test-timeout=(\d+)$/.exec(flag)?.[1]).findLast((ms) => ms !== undefined);
const timeoutMs = Number(given ?? (faults ? 40 : 10) * minuteMs);
const runner = spawn(
  process.execPath,
  [
    '--test',
    '--test-reporter=spec',
    `--test-timeout=${timeoutMs}`,
    // One more than the number of cores, because each test waits for a server or a timer now and then.
    `--test-concurrency=${faults ? 1 : availableParallelism() + 1}`,
    ...flags,
    ...files,
  ],
  {
    cwd: root,
    stdio: ['inherit', 'pipe', 'inherit'],
    env: { ...(process.stdout.isTTY && { FORCE_COLOR: '1' }), ...process.env, ...infra.env, NODE_ENV: 'test' },
  },
);
// A file that leaves a timer or a socket open after its tests does not end. On SIGINT the runner names it.
const silence = setTimeout(() => runner.kill('SIGINT'), timeoutMs + minuteMs);
runner.stdout.on('data', (text) => {
  process.stdout.write(text);
  silence.refresh();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => runner.kill(signal));
runner.once('error', fail);
runner.once('close', (code) => {
  clearTimeout(silence);
  console.log(`${files.length} files in ${((Date.now() - began) / 1000).toFixed(1)} s`);
  Promise.all([infra.release(), containers?.release()]).then(() => process.exit(code ?? 1), fail);
});

function testFiles(): string[] {
  const folders = ['dashboard', 'libs', 'services', 'scripts', 'tests'];
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: root, exclude: (name) => name === 'node_modules' }))
    .filter((file) => /\.(faults|slow)\.test\.ts$/.test(file) === faults)
    .sort();
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
