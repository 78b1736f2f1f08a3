import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';

const packages = {
  'node_modules/one': { version: '1.0.0', integrity: 'sha512-one' },
  'libs/a/node_modules/two': { version: '2.0.0', integrity: 'sha512-two' },
  'node_modules/for-another-system': { version: '1.0.0', integrity: 'sha512-other', optional: true },
  'node_modules/@mp/a': { resolved: 'libs/a', link: true },
};

/** A checkout with the installer and a lockfile, and a program that replaces npm and notes its calls. */
function checkout(t: TestContext, npm = '') {
  const root = mkdtempSync(join(tmpdir(), 'install-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  mkdirSync(join(root, 'scripts'));
  copyFileSync(join(import.meta.dirname, 'install.mjs'), join(root, 'scripts/install.mjs'));
  write('package-lock.json', JSON.stringify({ packages: { '': {}, 'libs/a': {}, ...packages } }));
  write('npm-cli.js', `require('node:fs').appendFileSync('calls', process.argv[2] + ' '); ${npm}`);
  const { 'node_modules/for-another-system': _, ...installed } = packages;
  return {
    root,
    write,
    /** What `npm ci` leaves. */
    installByHand() {
      for (const path of ['node_modules/one', 'libs/a/node_modules/two']) write(`${path}/package.json`, '{}');
      write('libs/a/package.json', '{}');
      mkdirSync(join(root, 'node_modules/@mp'), { recursive: true });
      symlinkSync(join(root, 'libs/a'), join(root, 'node_modules/@mp/a'));
      write('node_modules/.package-lock.json', JSON.stringify({ packages: { 'libs/a': {}, ...installed } }));
    },
    calls: () => (existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trim() : ''),
    start() {
      const env = { ...process.env, npm_execpath: join(root, 'npm-cli.js'), npm_node_execpath: process.execPath };
      const child = spawn(process.execPath, [join(root, 'scripts/install.mjs')], { env, stdio: 'ignore' });
      return { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
    },
  };
}

test('what `npm ci` installed by hand is not installed again', async (t) => {
  const { installByHand, start, calls } = checkout(t);
  installByHand();
  assert.equal(await start().ended, 0);
  assert.equal(calls(), '');
});

test('a new checkout and a changed lockfile are installed', async (t) => {
  const { installByHand, start, calls, write } = checkout(t);
  await start().ended;
  assert.equal(calls(), 'ci');
  installByHand();
  write(
    'package-lock.json',
    JSON.stringify({ packages: { ...packages, 'node_modules/one': { version: '1.0.1', integrity: 'sha512-new' } } }),
  );
  await start().ended;
  assert.equal(calls(), 'ci ci');
});

test('a tree that misses a package, or whose installation did not end, is installed again', async (t) => {
  for (const missing of ['libs/a/node_modules/two', 'node_modules/@mp/a', 'node_modules/.package-lock.json']) {
    const { installByHand, root, start, calls } = checkout(t);
    installByHand();
    await start().ended;
    rmSync(join(root, missing), { recursive: true });
    await start().ended;
    assert.equal(calls(), 'ci', missing);
  }
});

test('a package of ours that was added to the lockfile is installed', async (t) => {
  const { installByHand, start, calls, write } = checkout(t);
  installByHand();
  await start().ended;
  const added = { ...packages, 'libs/b': {}, 'node_modules/@mp/b': { resolved: 'libs/b', link: true } };
  write('package-lock.json', JSON.stringify({ packages: { '': {}, 'libs/a': {}, ...added } }));
  await start().ended;
  assert.equal(calls(), 'ci');
});

test('a record that npm did not finish does not count', async (t) => {
  const { installByHand, start, calls, write } = checkout(t);
  installByHand();
  write('node_modules/.package-lock.json', '{"packages": {');
  await start().ended;
  assert.equal(calls(), 'ci');
});

test('on a signal, npm is stopped before the installer exits', async (t) => {
  const npm = `require('node:fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1_000);`;
  const { root, start } = checkout(t, npm);
  const { child, ended } = start();
  const pid = await eventually(async () => existsSync(join(root, 'pid')) && (Number(readFileSync(join(root, 'pid'), 'utf8')) || undefined));
  child.kill('SIGTERM');
  assert.equal(await ended, 1);
  assert.throws(() => process.kill(pid, 0), 'npm runs on');
});
