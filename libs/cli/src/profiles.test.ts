import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connectTo } from './connect.ts';
import { exitCodeFor } from './exit-codes.ts';
import { loginCommands } from './login.ts';
import { configPath, currentProfile, readConfig, writeConfig } from './profiles.ts';

async function configFile(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'mp-config-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return configPath({ XDG_CONFIG_HOME: folder });
}

const production = { url: 'https://mp.example.com', key: 'mp_live_1' };

test('only the user can read the file with the keys, even after it is written again', async (t) => {
  const path = await configFile(t);
  await writeConfig({ current: 'default', profiles: { default: production } }, path);
  await writeFile(path, '{}', { mode: 0o644 });
  await writeConfig({ current: 'default', profiles: { default: production } }, path);
  const [file, folder] = await Promise.all([stat(path), stat(dirname(path))]);
  assert.deepEqual([file.mode & 0o777, folder.mode & 0o777], [0o600, 0o700]);
  assert.deepEqual(await readdir(dirname(path)), ['config.json']);
  assert.deepEqual((await readConfig(path)).profiles, { default: production });
});

test('the profile comes from the flag, from MP_PROFILE, or is the current one; MP_API_KEY and MP_BASE_URL override it', async (t) => {
  const path = await configFile(t);
  const local = { url: 'http://localhost:8080', key: 'mp_live_2' };
  await writeConfig({ current: 'production', profiles: { production, local } }, path);
  assert.deepEqual(await currentProfile(undefined, {}, path), { ...production, name: 'production' });
  assert.deepEqual(await currentProfile(undefined, { MP_PROFILE: 'local' }, path), { ...local, name: 'local' });
  assert.deepEqual(await currentProfile('local', { MP_PROFILE: 'production', MP_API_KEY: 'mp_live_3' }, path), {
    ...local,
    ...{ key: 'mp_live_3', name: 'local' },
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

test('without credentials the exit code is that of "not logged in", and a wrong URL names the setting it comes from', async (t) => {
  const path = await configFile(t);
  for (const env of [{}, { MP_BASE_URL: 'http://localhost:8080' }]) {
    const connecting = async () => connectTo(await currentProfile(undefined, env, path));
    await assert.rejects(connecting, (error) => exitCodeFor(error) === 3 && /Not logged in/.test(String(error)));
  }
  for (const url of ['mp', 'localhost:8080', 'ftp://localhost']) {
    const message = new RegExp(`MP_BASE_URL must be the URL of your platform, such as .*"${url}"`);
    await assert.rejects(currentProfile(undefined, { MP_BASE_URL: url, MP_API_KEY: 'mp_live_1' }, path), message);
    const login = loginCommands()
      .find((command) => command.name() === 'login')
      ?.parseAsync(['--url', url, '--key', 'mp_live_1'], { from: 'user' });
    await assert.rejects(async () => login, /--url must be the URL of your platform/);
  }
});

test('logout removes the current profile, or the one it is given', async (t) => {
  const path = await configFile(t);
  const former = process.env.XDG_CONFIG_HOME;
  process.env.XDG_CONFIG_HOME = dirname(dirname(path));
  t.after(() => {
    if (former === undefined) delete process.env.XDG_CONFIG_HOME;
    else process.env.XDG_CONFIG_HOME = former;
  });
  const logout = (...line: string[]) =>
    loginCommands()
      .find((command) => command.name() === 'logout')
      ?.parseAsync(line, { from: 'user' });
  await writeConfig({ current: 'production', profiles: { default: production, staging: production, production } });
  await logout();
  assert.deepEqual(await readConfig(), { current: 'default', profiles: { default: production, staging: production } });
  await logout('--profile', 'staging');
  assert.deepEqual(await readConfig(), { current: 'default', profiles: { default: production } });
  await assert.rejects(async () => logout('--profile', 'production'), /no profile "production"\. Profiles: default\./);
});
