import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

const root = join(import.meta.dirname, '..');
const launcher = join(root, 'scripts/run.mjs');

/** A script with this text, run by the launcher. */
function launch(t: TestContext, text: string, ...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'run-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const script = join(folder, 'script.ts');
  writeFileSync(script, text);
  const child = spawn(process.execPath, [launcher, script, ...args], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  let out = '';
  const printed = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      out += chunk;
      resolve();
    });
  });
  const ended = new Promise<{ code: number | null; signal: string | null; out: string }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, out }));
  });
  return { child, printed, ended };
}

test('arguments, standard input and output, and the exit code pass through, and nothing else is printed', async (t) => {
  const text = `process.stdout.write(JSON.stringify(process.argv.slice(2)) + require('node:fs').readFileSync(0)); process.exitCode = 7;`;
  const { child, ended } = launch(t, text, '--name', 'a b', '', '$HOME');
  child.stdin.end('input');
  assert.deepEqual(await ended, { code: 7, signal: null, out: '["--name","a b","","$HOME"]input' });
});

test('the script runs with the Node that package-lock.json pins', async (t) => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const pinned: string | undefined = packages[`node_modules/node-${process.platform}-${process.arch}`]?.version;
  const { ended } = launch(t, 'process.stdout.write(process.version)');
  assert.equal((await ended).out, pinned === undefined ? process.version : `v${pinned}`);
});

test('a signal reaches the script, which may finish its work', async (t) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const text = `process.on('${signal}', () => { process.stdout.write(' stopped'); process.exit(3); }); setInterval(() => {}, 1_000); process.stdout.write('ready');`;
    const { child, printed, ended } = launch(t, text);
    await printed;
    child.kill(signal);
    assert.deepEqual(await ended, { code: 3, signal: null, out: 'ready stopped' });
  }
});

test('a script ended by a signal ends the launcher by the same signal', async (t) => {
  const { child, printed, ended } = launch(t, `setInterval(() => {}, 1_000); process.stdout.write('ready');`);
  await printed;
  child.kill('SIGTERM');
  assert.deepEqual(await ended, { code: null, signal: 'SIGTERM', out: 'ready' });
});

test('a platform stops when the npm that started the launcher is killed', { skip: process.platform === 'win32' }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'run-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const script = join(folder, 'script.ts');
  const onStop = JSON.stringify(join(root, 'libs/local-infra/src/stop-signals.ts'));
  writeFileSync(
    script,
    `import { onStop } from ${onStop};
setInterval(() => {}, 1_000);
onStop({ once: (why) => { process.stdout.write(why); process.exit(0); }, again: () => {} });
process.stdout.write('ready, ');`,
  );
  const npm = `require('node:child_process').spawn(process.execPath, ${JSON.stringify([launcher, script])}, { stdio: 'inherit' })`;
  const child = spawn(process.execPath, ['-e', npm], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, npm_lifecycle_event: 'start', LAUNCHER_PARENT: undefined },
  });
  let out = '';
  const closed = new Promise((resolve) => child.stdout.once('end', resolve));
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      out += chunk;
      resolve();
    });
  });
  child.kill('SIGKILL');
  await closed;
  assert.equal(out, 'ready, npm ended');
});
