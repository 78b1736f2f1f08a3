import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startPlatform } from './platform.ts';

test("the README's keys and tokens work, line by line", async (t) => {
  const platform = await startPlatform(t, { services: ['gateway', 'contacts'] });
  const { key } = await platform.client('--permission', 'admin');
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const section = /## Keys and tokens\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? '';
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  assert.equal(blocks.length, 2);
  const script = blocks
    .join('\n')
    .replace('http://localhost:8080', platform.url)
    .replace(/^ADMIN=.*$/m, 'ADMIN=$KEY')
    .replaceAll(/^((?:admin|curl) .*)$/gm, '$1\necho');
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { env: { ...process.env, KEY: key } });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(answers.length, 4, stdout);
  for (const answer of answers) assert.equal(answer.success, true, JSON.stringify(answer));
  const [contacts, rotated, revoked, me] = answers;
  assert.deepEqual(contacts.data.items, []);
  assert.match(rotated.data.key, /^mp_live_/);
  assert.equal(revoked.data.status, 'revoked');
  assert.deepEqual([me.data.type, me.data.scopes], ['oauth_client', ['contacts:read']]);
});
