import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const commands = [
  ...['start', 'dev', 'infra', 'key', 'account', 'sign-in', 'user', 'context', 'demo', 'bench'],
  ...['republish', 'export-journal', 'apply-journal', 'export-account'],
];

const argsOf = (name: string) => (scripts[name] ?? '').split(' ').slice(1);

/** Runs the command of an npm script without any dependency. Returns its output and exit code. */
const run = (args: readonly string[], ...more: string[]) =>
  new Promise<{ code: number | null; out: string; stderr: string }>((resolve) => {
    const env = { ...process.env, MONGODB_URL: '', NATS_URL: '', PUBLIC_URL: '' };
    const child = spawn(process.execPath, [...args, ...more], { cwd: root, env, timeout: 20 * 60_000, killSignal: 'SIGINT' });
    let [out, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    child.on('close', (code) => resolve({ code, out, stderr }));
  });

test('every command prints its usage with --help and does nothing else', async () => {
  for (const name of commands) {
    const { code, out, stderr } = await run(argsOf(name), '--help');
    assert.deepEqual([name, code, stderr], [name, 0, '']);
    assert.match(out, new RegExp(`^npm (run (-s )?)?${name === 'dev' ? 'start' : name}\\b`), name);
    assert.doesNotMatch(out, /mongod|starting/);
  }
});

test('a command rejects an unknown option and does nothing else', async () => {
  for (const name of ['start', 'infra', 'demo', 'republish', 'export-journal', 'apply-journal', 'bench']) {
    const { code, stderr } = await run(
      argsOf(name).filter((arg) => arg !== 'scripts/with-infra.ts'),
      '--colour',
    );
    assert.deepEqual([name, code], [name, 1]);
    assert.match(stderr, /--colour[\s\S]*npm (run )?/);
  }
});
