import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { acquireInfra } from '@mp/local-infra/infra';
import { takeSlot } from '@mp/local-infra/slot';
import { readOptions } from './read-options.ts';
import { endsHangingTestMs, findTests, isLong, patienceMs } from './test-files.ts';
import { type Results, readDurations, sum, writeResults } from './test-results.ts';

const usage = `node scripts/test-package.ts [--alone GLOB]… [FOLDER…]
Runs the tests of the package in the working directory, as its script \`test\` does. A process runs the files of a bundle one after
another, because starting a process and importing a service takes longer than most tests. Files that match --alone get a process of
their own. All packages together run as many bundles at a time as the machine has cores, and one more.`;

const { values, positionals } = readOptions(usage, { alone: { type: 'string', multiple: true } }, { positionals: true });
/** A bundle ends after so many files, or seconds in test-durations.json. */
const maxBundle = { files: 15, seconds: 20 };
const root = join(import.meta.dirname, '..');
const dir = join(root, '.data', 'test');
const folder = process.cwd();
const files = findTests(folder, positionals.length > 0 ? positionals : ['.']).filter((file) => !isLong(file));
const alone = new Set(globSync(values.alone ?? [], { cwd: folder }));

const infra = await acquireInfra({ dir, report: (line) => console.log(line) });
const output = mkdtempSync(join(tmpdir(), 'test-results-'));
const results: Results[] = [];
// One more than the number of cores, because each test waits for a server or a timer now and then.
const slots = availableParallelism() + 1;
const running: Promise<void>[] = [];
for (const bundle of bundlesOf(files)) {
  const slot = await takeSlot(join(dir, 'slots'), slots);
  running.push(
    run(bundle)
      .then((its) => void results.push(its), fail)
      .finally(slot.free),
  );
}
await Promise.all(running);
rmSync(output, { recursive: true });
const total = sum(results);
writeResults(folder, total);
await infra.release();
process.exit(total.failed.length > 0 ? 1 : 0);

/** The longest first, so that none is left at the end. */
function bundlesOf(all: readonly string[]): string[][] {
  const measured = readDurations();
  const secondsOf = (file: string) => measured[relative(root, join(folder, file))] ?? 1;
  const bundles: { files: string[]; seconds: number }[] = [];
  let open = { files: [] as string[], seconds: Number.POSITIVE_INFINITY };
  for (const file of all.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
    const seconds = secondsOf(file);
    if (alone.has(file)) {
      bundles.push({ files: [file], seconds });
      continue;
    }
    if (open.seconds + seconds > maxBundle.seconds || open.files.length === maxBundle.files) {
      open = { files: [], seconds: 0 };
      bundles.push(open);
    }
    open.files.push(file);
    open.seconds += seconds;
  }
  return bundles.toSorted((a, b) => b.seconds - a.seconds).map(({ files: its }) => its);
}

/** Runs a bundle and prints its output at its end, so that the lines of bundles do not mix. */
function run(bundle: readonly string[]): Promise<Results> {
  const path = join(output, `${running.length}.json`);
  const reporter = join(import.meta.dirname, 'test-reporter.ts');
  const args = [
    '--test',
    '--test-isolation=none',
    `--test-timeout=${endsHangingTestMs(false)}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${reporter}`,
    `--test-reporter-destination=${path}`,
  ];
  const child = spawn(process.execPath, [...args, ...bundle], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...infra.env, NODE_ENV: 'test', TEST_PATIENCE_MS: String(patienceMs(false)) },
  });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.stdout.write(Buffer.concat(printed));
      const ended = { test: bundle.join(', '), error: `The process ended with ${signal ?? code} before its tests did.` };
      resolve(readReport(path) ?? { passed: 0, skipped: 0, failed: [ended], seconds: {} });
    });
  });
}

function readReport(path: string): Results | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}
