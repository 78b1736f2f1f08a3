import assert from 'node:assert/strict';
import { access, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { nextToken } from './next-token.ts';
import { configPath, writeConfig } from './profiles.ts';

const refreshed = { url: 'https://mp.example.com', client_id: 'client_1', access_token: 'new', refresh_token: 'r1' };

/** A configuration whose token another process has refreshed, and the lock of a process that began this long ago. */
async function lockedFor(t: TestContext, seconds: number) {
  const folder = await mkdtemp(join(tmpdir(), 'mp-token-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = configPath({ XDG_CONFIG_HOME: folder });
  await writeConfig({ current: 'default', profiles: { default: refreshed } }, path);
  const lock = `${path}.lock`;
  await writeFile(lock, '');
  const began = new Date(Date.now() - seconds * 1_000);
  await utimes(lock, began, began);
  return { path, lock };
}

test('a process that died while it refreshed a token keeps no other from its own', async (t) => {
  const { path, lock } = await lockedFor(t, 61);
  assert.equal(await nextToken('default', 'old', path), 'new');
  await assert.rejects(access(lock));
});

test('a token is refreshed by one process at a time', async (t) => {
  const { path, lock } = await lockedFor(t, 30);
  let isReleased = false;
  const waiting = nextToken('default', 'old', path).then((token) => ({ token, isReleased }));
  setTimeout(() => {
    isReleased = true;
    void rm(lock);
  }, 200);
  assert.deepEqual(await waiting, { token: 'new', isReleased: true });
});
