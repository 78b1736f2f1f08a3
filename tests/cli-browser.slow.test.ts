import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { eventually } from '@mp/test-kit/eventually';
import { buildCli } from '../libs/cli/build/build.ts';
import { allowApplication } from './allow-application.ts';
import { createClient } from './client.ts';
import { signInUser } from './documentation/sign-in-user.ts';
import { startPlatform } from './platform.ts';

test('mp login --browser gets access that a user allows, without a key, and keeps it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'cli-browser-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [dist, platform] = await Promise.all([
    buildCli(join(folder, 'dist')),
    startPlatform(t, { services: ['gateway', 'contacts', 'segments'] }),
  ]);
  const admin = await platform.client('--permission', 'admin', '--account', 'browser');
  const redirect_uris = ['http://127.0.0.1/callback'];
  const onDevice = { name: 'Command line', permission: 'read_write', redirect_uris, confidential: false };
  const { data: client } = await admin.post('/v2/settings/oauth-clients', onDevice);
  const { data: invited } = await admin.post('/v2/settings/users', { email: 'ada@example.com', role: 'editor' });
  const ada = await signInUser(invited.invitation_url);

  const bin = join(dist, 'mp.js');
  const env = { ...process.env, XDG_CONFIG_HOME: join(folder, 'config'), MP_API_KEY: undefined, MP_BASE_URL: undefined };
  const config = join(folder, 'config/marketing-platform/config.json');
  const profile = async () => JSON.parse(await readFile(config, 'utf8')).profiles.default;
  function start(...line: string[]) {
    const child = spawn(process.execPath, [bin, ...line], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    t.after(() => child.kill());
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const written = { err: '' };
    child.stderr.on('data', (chunk) => (written.err += chunk));
    return { written, result: Promise.all([ended, text(child.stdout)]).then(([code, out]) => ({ code, out, err: written.err })) };
  }
  const mp = (...line: string[]) => start(...line).result;
  /** A login until the page is shown that the browser opens. */
  async function begin(...more: string[]) {
    const { written, result } = start('login', '--browser', '--url', platform.url, '--client-id', client.id, ...more);
    const page = await eventually(async () => /https?:\S+authorize\S+/.exec(written.err)?.[0]);
    return { page, result };
  }
  async function login() {
    const { page, result } = await begin();
    assert.equal((await fetch(await allowApplication(page, ada))).status, 200);
    const { code, err } = await result;
    assert.equal(code, 0, err);
  }
  /** As if the access token had expired. */
  const age = async () => {
    const stored = JSON.parse(await readFile(config, 'utf8'));
    stored.profiles.default.access_until = 0;
    await writeFile(config, JSON.stringify(stored));
  };
  const browser = createClient(platform.url, undefined);
  const grants = async () => (await browser.get('/auth/grants', ada)).data.items;

  await t.test('stores the tokens for the user alone, and commands and assistants use them', async (t) => {
    await login();
    assert.equal((await stat(config)).mode & 0o777, 0o600);
    assert.equal((await mp('contacts', 'create', '--email', 'grace@example.com')).code, 0);
    const [listed] = (await mp('profiles', '--json')).out.trim().split('\n');
    assert.equal(JSON.parse(listed ?? '').credentials, 'browser');
    const assistant = new Client({ name: 'test', version: '1' });
    const own = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
    await assistant.connect(new StdioClientTransport({ command: process.execPath, args: [bin, 'mcp'], env: own }));
    t.after(() => assistant.close());
    const found = await assistant.callTool({ name: 'search_contacts', arguments: { text: 'grace' } });
    assert.match(JSON.stringify(found), /grace@example\.com/);
  });

  await t.test('refreshes them once, however many commands find them expired', async () => {
    const before = await profile();
    await age();
    const results = await Promise.all(Array.from({ length: 4 }, () => mp('contacts', 'list', '--json')));
    for (const { code, err } of results) assert.equal(code, 0, err);
    const after = await profile();
    assert.notEqual(after.refresh_token, before.refresh_token);
    assert.equal((await stat(config)).mode & 0o777, 0o600);
    await age();
    assert.equal((await mp('contacts', 'list')).code, 0, 'the access has not ended');
  });

  await t.test('takes only the response to its own request, and ends if the user does not allow it', async () => {
    const { page, result } = await begin('--profile', 'other');
    const redirect = new URL(page).searchParams.get('redirect_uri') ?? '';
    assert.equal((await fetch(`${redirect}?code=stolen&state=other`)).status, 400);
    const state = new URL(page).searchParams.get('state') ?? '';
    const denied = new URLSearchParams({ error: 'access_denied', state, iss: platform.url });
    assert.equal((await fetch(`${redirect}?${denied}`)).status, 200);
    assert.equal((await result).code, 3);
    assert.equal(JSON.parse(await readFile(config, 'utf8')).profiles.other, undefined);
  });

  await t.test('asks to log in again after the user has ended the access, and ends it itself on logout', async () => {
    assert.equal((await mp('logout')).code, 0);
    assert.deepEqual(await grants(), []);
    await login();
    const [{ id }] = await grants();
    assert.equal((await browser.post('/auth/grants/revoke', { id }, ada)).status, 200);
    await age();
    const { code, err } = await mp('contacts', 'list');
    assert.deepEqual([code, /Run "mp login --browser" again/.test(err)], [3, true], err);
  });

  await t.test('says which client it needs', async () => {
    const { code, err } = await mp('login', '--browser', '--url', platform.url, '--profile', 'new');
    assert.deepEqual([code, /oauth-clients create .* http:\/\/127\.0\.0\.1\/callback/.test(err)], [2, true], err);
  });
});
