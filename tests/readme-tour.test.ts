import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startPlatform } from './platform.ts';

test("the README's tour works, line by line", async (t) => {
  const platform = await startPlatform(t);
  const { key } = await platform.client('--permission', 'read_write');
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const tour = /## A first tour[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  assert.ok((tour.match(/^.*\bcall \$API/gm) ?? []).length >= 10, 'the tour has ten calls');
  const script = tour.replace('http://localhost:8080', platform.url).replaceAll(/^(call .*)$/gm, '$1; echo');
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { env: { ...process.env, KEY: key } });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(answers.length, 6);
  for (const answer of answers) assert.equal(answer.success, true, JSON.stringify(answer));
});
