import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { dropLeftovers } from '@mp/local-infra/drop-leftovers';
import { acquireInfra, type Infra } from '@mp/local-infra/infra';
import { versionsOf } from '@mp/local-infra/versions';
import { endsHangingTestMs, findTests, isLong, patienceMs } from './test-files.ts';
import { clearResults, readResults, writeDurations } from './test-results.ts';

/*
 * npm test                        every package's tests, with Turbo: a package whose inputs have not changed is not tested again
 * npm test -- --force             the same without Turbo's cache
 * npm test -- --force --measure   the same, and writes test-durations.json
 * npm test -- part/of/path        the files whose path contains this, each in a process of its own
 * npm run test:faults             the long tests, one after another
 */
const root = join(import.meta.dirname, '..');
/** How many characters of each failure are repeated at the end of the output. */
const shownOfErrors = 3_000;
const began = Date.now();
const args = process.argv.slice(2);
const faults = args.includes('--faults');
const measure = args.includes('--measure');
const flags = args.filter((arg) => arg.startsWith('--') && !['--faults', '--measure'].includes(arg));
const filters = args.filter((arg) => !arg.startsWith('--'));

const dir = join(root, '.data', 'test');
// Loaded only when it is needed, because testcontainers takes long to load.
const containers =
  process.env.TEST_INFRA === 'containers'
    ? await import('@mp/test-kit/containers').then(({ startContainers }) => startContainers()).catch(fail)
    : undefined;
if (containers) {
  process.env.MONGODB_URL = containers.mongoUrl;
  process.env.NATS_URL = containers.natsUrl;
}
const infra = await acquireInfra({ dir, report: (line) => console.log(line) }).catch(fail);
if (!process.env.MONGODB_URL) {
  const dropped = await dropLeftovers(dir, infra.mongoUrl).catch(fail);
  if (dropped > 0) console.log(`dropped ${dropped} databases from earlier test runs`);
}

const code = faults || filters.length > 0 ? await runFiles(infra) : await runPackages(infra);
console.log(`finished in ${((Date.now() - began) / 1000).toFixed(1)} s`);
Promise.all([infra.release(), containers?.release()]).then(() => process.exit(code), fail);

/** The files that match, each in a process of its own. */
async function runFiles({ env }: Infra): Promise<number> {
  const files = findTests(root, ['dashboard', 'libs', 'services', 'scripts', 'tests'])
    .filter((file) => isLong(file) === faults)
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)));
  if (files.length === 0)
    fail(new Error(filters.length > 0 ? `No test file matches ${filters.join(' or ')}.` : 'There are no test files.'));

  const given = flags.map((flag) => /^--test-timeout=(\d+)$/.exec(flag)?.[1]).findLast((ms) => ms !== undefined);
  const timeoutMs = Number(given ?? endsHangingTestMs(faults));
  const concurrency = faults ? 1 : availableParallelism() + 1;
  const runner = ['--test', '--test-reporter=spec', `--test-timeout=${timeoutMs}`, `--test-concurrency=${concurrency}`];
  // A file that leaves a timer or a socket open after its tests does not end. On SIGINT the runner names it.
  const its = filters.length === 0 ? { ...env, TEST_PATIENCE_MS: String(patienceMs(faults)) } : env;
  return runUntilSilent(process.execPath, [...runner, ...flags, ...files], its, timeoutMs + 60_000);
}

async function runPackages({ env, ...servers }: Infra): Promise<number> {
  clearResults(root);
  // Part of the hash of each task: a result on other versions is not this one's.
  const TEST_VERSIONS = await versionsOf(servers);
  const turbo = join(root, 'node_modules', 'turbo', 'bin', 'turbo');
  const code = await runUntilSilent(
    process.execPath,
    [turbo, 'run', 'test', 'test:root', '--continue', '--log-order=stream', ...flags],
    { ...env, TEST_VERSIONS },
    endsHangingTestMs(false) + 120_000,
  );
  const { passed, failed, skipped, seconds } = readResults(root);
  if (measure) writeDurations(seconds);
  for (const { test, error } of failed) console.log(`✖ ${test}\n${error.slice(0, shownOfErrors).replaceAll(/^/gm, '  ')}\n`);
  console.log(`${Object.keys(seconds).length} files`);
  console.log(`${passed} passed, ${failed.length} failed, ${skipped} skipped`);
  return code === 0 && failed.length > 0 ? 1 : code;
}

/** Runs a program, and sends it SIGINT when it has printed nothing for so long. Resolves with its exit code. */
function runUntilSilent(program: string, its: string[], env: Record<string, string>, silenceMs: number): Promise<number> {
  const child = spawn(program, its, {
    cwd: root,
    stdio: ['inherit', 'pipe', 'inherit'],
    env: { ...(process.stdout.isTTY && { FORCE_COLOR: '1' }), ...process.env, ...env, NODE_ENV: 'test' },
  });
  const silence = setTimeout(() => child.kill('SIGINT'), silenceMs);
  child.stdout.on('data', (text) => {
    process.stdout.write(text);
    silence.refresh();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.once('error', fail);
    child.once('close', (code) => {
      clearTimeout(silence);
      resolve(code ?? 1);
    });
  });
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
