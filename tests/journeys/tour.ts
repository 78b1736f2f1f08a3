import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Json } from '../contract.ts';
import type { Platform } from '../platform.ts';

/** Commands of the tour, and the responses that the page shows below them. */
type Block = { commands: string; shown: Json[] };

async function blocksOf(section: string): Promise<Block[]> {
  const page = await readFile(new URL('../../docs/tour.md', import.meta.url), 'utf8');
  const text = new RegExp(`## ${section}\n([\\s\\S]*?)\n## `).exec(page)?.[1] ?? '';
  const blocks: Block[] = [];
  for (const [, language, content = ''] of text.matchAll(/```(sh|json)\n([\s\S]*?)```/g)) {
    if (language === 'sh') blocks.push({ commands: content, shown: [] });
    else blocks.at(-1)?.shown.push(JSON.parse(content));
  }
  return blocks;
}

const end = '--- end of the block';

/** Runs the blocks in one shell and parses each line that they print, by block. */
async function answersOf(blocks: readonly Block[], { url }: Platform, env: Record<string, string | undefined>): Promise<Json[][]> {
  const script = blocks.map(({ commands }) => `${commands}\necho '${end}'`).join('\n');
  // Responses end without a line break.
  const runnable = script.replace('http://localhost:8080', url).replaceAll(/^((?:call|admin|curl) .*)$/gm, '$1; echo');
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', runnable], { env: { ...process.env, ...env } });
  const printed = stdout.split(`${end}\n`).slice(0, -1);
  return printed.map((part) =>
    part
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => JSON.parse(text)),
  );
}

const isOwn = (value: unknown) => typeof value === 'string' && /^(?:[a-z]+_[\da-z]{26}$|mp_live_)|^\d{4}-\d\d-\d\dT|^https?:/.test(value);

/** Throws if the response has not what the page shows of it: the same values, except IDs, keys, times and URLs. */
function assertShown(shown: Json, actual: Json, at: string) {
  if (isOwn(shown)) return assert.ok(isOwn(actual), `${at} is ${JSON.stringify(actual)}`);
  if (typeof shown !== 'object' || shown === null) return assert.deepEqual(actual, shown, at);
  assert.ok(typeof actual === 'object' && actual !== null && Array.isArray(actual) === Array.isArray(shown), `${at} is ${actual}`);
  if (Array.isArray(shown)) assert.equal(actual.length, shown.length, at);
  for (const [name, value] of Object.entries(shown)) {
    assert.ok(name in actual, `${at} has no ${name}: ${JSON.stringify(actual)}`);
    assertShown(value, actual[name], `${at}.${name}`);
  }
}

/** Runs a section of the tour as a reader pastes it. Each response is a success and is shown below its command. */
async function tour(section: string, platform: Platform, env: Record<string, string | undefined>, change = (commands: string) => commands) {
  const blocks = (await blocksOf(section)).map((block) => ({ ...block, commands: change(block.commands) }));
  const answers = await answersOf(blocks, platform, env);
  for (const [index, { commands, shown }] of blocks.entries()) {
    const own = answers[index] ?? [];
    for (const answer of own) assert.equal(answer.success, true, JSON.stringify(answer));
    assert.equal(own.length, shown.length, `each response is shown: ${commands}`);
    for (const [number, one] of shown.entries()) assertShown(one, own[number], `${commands}\nresponse`);
  }
  return answers.flat();
}

export async function firstTour(platform: Platform) {
  const { key } = await platform.client('--permission', 'read_write', '--account', 'tour');
  assert.equal((await tour('A first tour', platform, { KEY: key })).length, 7);
}

export async function keysAndTokens(platform: Platform) {
  const { key } = await platform.client('--permission', 'admin', '--account', 'keys');
  const answers = await tour('Keys and tokens', platform, { KEY: key }, (commands) => commands.replace(/^ADMIN=.*$/m, 'ADMIN=$KEY'));
  const [, rotated, , me] = answers;
  assert.match(rotated.data.key, /^mp_live_/);
  assert.deepEqual([me.data.type, me.data.scopes], ['oauth_client', ['contacts:read']]);
}
