import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Platform } from '../platform.ts';

/** The `sh` blocks of a section of the tour. */
async function blocksOf(section: string): Promise<string[]> {
  const page = await readFile(new URL('../../docs/tour.md', import.meta.url), 'utf8');
  const text = new RegExp(`## ${section}\n([\\s\\S]*?)\n## `).exec(page)?.[1] ?? '';
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

/** Runs the script and parses each line of its output. */
async function answersOf(script: string, key: string | undefined) {
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { env: { ...process.env, KEY: key } });
  const answers = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  for (const answer of answers) assert.equal(answer.success, true, JSON.stringify(answer));
  return answers;
}

export async function firstTour(platform: Platform) {
  const { key } = await platform.client('--permission', 'read_write');
  const [tour = ''] = await blocksOf('A first tour');
  assert.ok((tour.match(/^.*\bcall \$API/gm) ?? []).length >= 10, 'the tour has ten calls');
  const script = tour.replace('http://localhost:8080', platform.url).replaceAll(/^(call .*)$/gm, '$1; echo');
  assert.equal((await answersOf(script, key)).length, 6);
}

export async function keysAndTokens(platform: Platform) {
  const { key } = await platform.client('--permission', 'admin', '--account', 'keys');
  const blocks = await blocksOf('Keys and tokens');
  assert.equal(blocks.length, 2);
  const script = blocks
    .join('\n')
    .replace('http://localhost:8080', platform.url)
    .replace(/^ADMIN=.*$/m, 'ADMIN=$KEY')
    .replaceAll(/^((?:admin|curl) .*)$/gm, '$1\necho');
  const answers = await answersOf(script, key);
  assert.equal(answers.length, 4);
  const [contacts, rotated, revoked, me] = answers;
  assert.deepEqual(contacts.data.items, []);
  assert.match(rotated.data.key, /^mp_live_/);
  assert.equal(revoked.data.status, 'revoked');
  assert.deepEqual([me.data.type, me.data.scopes], ['oauth_client', ['contacts:read']]);
}
