import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { configPath, currentProfile, readConfig, writeConfig } from './profiles.ts';

async function configFile(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'mp-config-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return configPath({ XDG_CONFIG_HOME: folder });
}

const production = { url: 'https://mp.example.com', key: 'mp_live_1' };

test('only the user can read the file with the keys, also after it is written again', async (t) => {
  const path = await configFile(t);
  await writeConfig({ current: 'default', profiles: { default: production } }, path);
  await writeFile(path, '{}', { mode: 0o644 });
  await writeConfig({ current: 'default', profiles: { default: production } }, path);
  const [file, folder] = await Promise.all([stat(path), stat(dirname(path))]);
  assert.deepEqual([file.mode & 0o777, folder.mode & 0o777], [0o600, 0o700]);
  assert.deepEqual(await readdir(dirname(path)), ['config.json']);
  assert.deepEqual((await readConfig(path)).profiles, { default: production });
});

test('the profile is that of the flag, of MP_PROFILE, or the current one; MP_API_KEY and MP_BASE_URL override it', async (t) => {
  const path = await configFile(t);
  const local = { url: 'http://localhost:8080', key: 'mp_live_2' };
  await writeConfig({ current: 'production', profiles: { production, local } }, path);
  assert.deepEqual(await currentProfile(undefined, {}, path), production);
  assert.deepEqual(await currentProfile(undefined, { MP_PROFILE: 'local' }, path), local);
  assert.deepEqual(await currentProfile('local', { MP_PROFILE: 'production', MP_API_KEY: 'mp_live_3' }, path), {
    ...local,
    key: 'mp_live_3',
  });
  await assert.rejects(currentProfile('staging', {}, path), /Profiles: production, local\. Run: mp login --profile staging/);
});

test('without a profile or with a broken file, the error says what to do', async (t) => {
  const path = await configFile(t);
  await assert.rejects(currentProfile(undefined, {}, path), /Run "mp login", or set MP_BASE_URL/);
  await writeConfig({ current: 'default', profiles: {} }, path);
  await writeFile(path, '{');
  await assert.rejects(currentProfile(undefined, {}, path), /is not valid\. Correct it, or delete it/);
});
