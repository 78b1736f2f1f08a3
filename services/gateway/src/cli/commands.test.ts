import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { contextHeader, verifyContext } from '@mp/contracts/context';
import { AccountChanged } from '@mp/contracts/events/platform';
import { parseKeyring } from '@mp/contracts/keyring';
import { expiresIn } from '@mp/test-kit/expires-in';
import { testInfra } from '@mp/test-kit/infra';
import { MongoClient } from 'mongodb';
import { secretHash } from '../credentials/secret-hash.ts';
import { isWellFormedSecret } from '../credentials/token-format.ts';
import { durationMs } from './arguments.ts';

/** Any document with a string `_id`. */
type Row = { _id: string; [member: string]: unknown };

const keys = `k1:${Buffer.alloc(32, 7).toString('base64url')}`;

test('the commands', async (t) => {
  const { mongoUrl, natsUrl } = await testInfra();
  const NAMESPACE = `test_cli_${process.pid}_${Date.now().toString(36)}`;
  const mongo = await MongoClient.connect(mongoUrl);
  const db = mongo.db(`${NAMESPACE}_gateway`);
  // The next run of the suite drops the database. Dropping it here would lock all of MongoDB 4.0 while any transaction is open.
  t.after(() => mongo.close());
  // Each command is a process; all of them share one compile cache.
  const compiled = await mkdtemp(join(tmpdir(), 'compiled-'));
  t.after(() => rm(compiled, { recursive: true, force: true }));
  const urls = { MONGODB_URL: mongoUrl, NATS_URL: natsUrl };
  const env = { ...process.env, ...urls, NAMESPACE, CONTEXT_KEYS: keys, CURSOR_KEYS: keys, NODE_COMPILE_CACHE: compiled };

  /** Runs a command as npm would; returns what it prints on each stream and its exit code. */
  const run = (command: string, args: readonly string[], more: Record<string, string> = {}) =>
    new Promise<{ code: number | null; out: string; stderr: string }>((resolve) => {
      const file = new URL(`./${command}.ts`, import.meta.url).pathname;
      const child = spawn(process.execPath, [file, ...args], { env: { ...env, ...more } });
      let [out, stderr] = ['', ''];
      child.stdout.on('data', (chunk) => (out += chunk));
      child.stderr.on('data', (chunk) => (stderr += chunk));
      child.on('close', (code) => resolve({ code, out, stderr }));
    });
  const accountNamed = (name: string) => db.collection<Row>('accounts').findOne({ name });
  const keyOf = (text: string) => db.collection<Row>('api_keys').findOne({ hash: secretHash(text.trim()) });

  await t.test('key: prints only the key on standard output, and creates the local account in an empty database', async () => {
    const { code, out, stderr } = await run('key', ['--name', 'CI', '--permission', 'read_write']);
    assert.equal(code, 0, stderr);
    assert.match(out, /^mp_live_\w{49}\n$/);
    assert.ok(isWellFormedSecret('key', out.trim()));
    assert.match(stderr, /read_write key "CI"/);
    const local = await accountNamed('local');
    assert.deepEqual([local?.plan, local?.daily_requests, local?.status], ['enterprise', null, 'active']);
    const key = await keyOf(out);
    assert.deepEqual([key?.account_id, key?.permission, key?.created_by, key?.expires_at], [local?._id, 'read_write', null, null]);
    assert.equal(await db.collection('audit_log').countDocuments({ target_id: key?._id, action: 'api_key.created' }), 1);
  });

  await t.test('key: accepts a plan, an account name or an account id, with scopes and an expiry', async () => {
    const named = '--name b --permission read_only --account Acme --plan growth --expires-in P30D --scopes'.split(' ');
    const [byPlan, byName] = await Promise.all([
      run('key', ['--name', 'a', '--permission', 'admin', '--plan', 'starter']),
      run('key', [...named, 'contacts:read, segments:read']),
    ]);
    assert.equal((await keyOf(byPlan.out))?.account_id, (await accountNamed('local-starter'))?._id);
    const acme = await accountNamed('Acme');
    const key = await keyOf(byName.out);
    assert.deepEqual([acme?.plan, key?.account_id, key?.scopes], ['growth', acme?._id, ['contacts:read', 'segments:read']]);
    assert.ok(expiresIn(Number(key?.expires_at), 30 * 86_400_000));

    const [byId, unknown] = await Promise.all([
      run('key', ['--name', 'c', '--permission', 'admin', '--account', acme?._id ?? '', '--plan', 'professional']),
      run('key', ['--name', 'd', '--permission', 'admin', '--account', 'account_unknown']),
    ]);
    assert.equal((await keyOf(byId.out))?.account_id, acme?._id);
    assert.equal((await accountNamed('Acme'))?.plan, 'professional');
    const event = await db.collection('outbox').findOne({ 'events.subject': AccountChanged.subject, 'events.account_id': acme?._id });
    assert.equal(event?.pending, true, 'a running gateway publishes it');

    assert.deepEqual([unknown.code, unknown.out], [1, '']);
    assert.match(unknown.stderr, /no account account_unknown/);
  });

  await t.test('an unknown account is an error that suggests the nearest name, and is not created', async () => {
    const commands: [string, ...string[]][] = [
      ['key', '--name', 'x', '--permission', 'admin', '--account', 'Akme'],
      ['sign-in-link', '--account', 'acme '],
      ['context', '--account', 'Acmee'],
      ['account', 'set', '--account', 'ACME', '--plan', 'starter'],
      ['user', 'list', '--account', 'Ackme'],
      ['user', 'reset', '--email', 'ada@example.com', '--account', 'Ackme'],
    ];
    const before = await db.collection('accounts').countDocuments();
    for (const { code, out, stderr } of await Promise.all(commands.map(([command, ...args]) => run(command, args)))) {
      assert.deepEqual([code, out], [1, '']);
      assert.match(stderr, /There is no account .+ Did you mean Acme\?/);
      assert.match(stderr, /npm run account -- list/);
    }
    assert.equal(await db.collection('accounts').countDocuments(), before);
    const [key, link] = await Promise.all([
      run('key', ['--name', 'x', '--permission', 'admin', '--account', 'Typo']),
      run('sign-in-link', ['--account', 'Typo']),
    ]);
    assert.match(key.stderr, /--plan PLAN … ?` creates one/, 'key explains how to create it');
    assert.match(link.stderr, /account -- create --name/, 'and so do the others');
  });

  await t.test('each prints its usage with --help, without any configuration', async () => {
    for (const command of ['key', 'account', 'sign-in-link', 'user', 'context']) {
      const none = { MONGODB_URL: '', NATS_URL: '', CONTEXT_KEYS: '', CURSOR_KEYS: '', PORT: 'none' };
      for (const args of [['--help'], ['list', '--help']]) {
        const { code, out, stderr } = await run(command, args, none);
        assert.deepEqual([code, stderr], [0, ''], command);
        assert.match(out, /^npm run -s /);
      }
    }
  });

  await t.test('key: reports all faults at once, with the usage', async () => {
    const [{ code, out, stderr }, help] = await Promise.all([
      run('key', '--permission owner --scopes all --expires-in 30 --colour red stray'.split(' ')),
      run('key', ['--help']),
    ]);
    assert.deepEqual([code, out], [1, '']);
    assert.deepEqual([help.code, help.stderr], [0, '']);
    assert.match(help.out, /^npm run -s key -- --name "CI"/);
    for (const fault of [
      /--name/,
      /--permission/,
      /--scopes/,
      /--expires-in: expected a duration/,
      /--colour is not an option/,
      /stray is not expected/,
      /npm run -s key/,
    ])
      assert.match(stderr, fault);
  });

  await t.test('audit: exits with 1 and names the entry that was changed', async () => {
    const local = await accountNamed('local');
    assert.ok(local);
    const { code, out } = await run('audit', ['--account', 'local']);
    assert.equal(code, 0);
    const [, hash = ''] = /^local \S+: \d+ entries are as they were written; \d+ ([0-9a-f]{64})$/.exec(out.trim()) ?? [];
    assert.equal((await run('audit', ['--account', 'local', '--expect', hash])).code, 0);
    const other = await run('audit', ['--account', 'local', '--expect', '0'.repeat(64)]);
    assert.deepEqual([other.code, other.stderr.trim()], [1, `local: no entry has the hash ${'0'.repeat(64)}.`]);
    await db.collection<Row>('audit_log').updateOne({ account_id: local._id, sequence: 1 }, { $set: { actor_id: 'user_x' } });
    const changed = await run('audit', []);
    assert.deepEqual([changed.code, changed.stderr.trim()], [1, 'local: entry 1 was changed after it was written.']);
  });

  await t.test('account: create, list, set', async () => {
    const made = await run('account', ['create', '--name', 'Big', '--plan', 'enterprise', '--daily-requests', '5000000']);
    assert.equal(JSON.parse(made.out).daily_requests, 5_000_000, made.stderr);
    const [twice, set] = await Promise.all([
      run('account', ['create', '--name', 'Big', '--plan', 'starter']),
      run('account', ['set', '--account', 'Big', '--plan', 'starter', '--status', 'suspended']),
    ]);
    assert.deepEqual([twice.code, twice.out], [1, '']);
    assert.match(twice.stderr, /already/);
    const { plan, status, daily_requests } = JSON.parse(set.out);
    assert.deepEqual([plan, status, daily_requests], ['starter', 'suspended', 10_000]);
    assert.equal((await accountNamed('Big'))?.daily_requests, null);
    const [list, figures, unheardOf] = await Promise.all([
      run('account', ['list']),
      run('account', ['create', '--name', 'x', '--plan', 'starter', '--daily-requests', '5']),
      run('account', ['drop']),
    ]);
    const names = JSON.parse(list.out).map(({ name }: { name: string }) => name);
    assert.deepEqual(names.toSorted(), ['Acme', 'Big', 'local', 'local-starter']);
    assert.match(figures.stderr, /only enterprise/);
    assert.equal(unheardOf.code, 1);
  });

  await t.test('sign-in-link: prints one link; the account keeps one owner', async () => {
    const [first, second] = await Promise.all([
      run('sign-in-link', [], { PUBLIC_URL: 'https://platform.example/' }),
      run('sign-in-link', [], { PORT: '9000' }),
    ]);
    assert.match(first.out, /^https:\/\/platform\.example\/sign-in#token=[\w-]{43}\n$/);
    assert.match(second.out, /^http:\/\/localhost:9000\/sign-in#token=/);
    assert.equal(await db.collection('users').countDocuments(), 1);
    assert.match((await run('sign-in-link', ['--account', 'Acme'])).out, /#token=/);
    assert.equal(await db.collection('users').countDocuments({ account_id: (await accountNamed('Acme'))?._id, role: 'owner' }), 1);
    const token = first.out.trim().split('=')[1] ?? '';
    assert.ok(await db.collection<Row>('sign_in_links').findOne({ _id: secretHash(token) }));
  });

  await t.test('user: lists the users of an account, and creates a link for one who forgot the password', async () => {
    const local = await accountNamed('local');
    const ada = { account_id: local?._id, name: 'Ada', email: 'ada@example.com', role: 'viewer', password: null, created_at: new Date() };
    await db.collection<Row>('users').insertOne({ _id: 'user_ada', ...ada });
    const [listed, reset, nobody] = await Promise.all([
      run('user', ['list']),
      run('user', ['reset', '--email', 'ADA@example.com'], { PUBLIC_URL: 'https://platform.example' }),
      run('user', ['reset', '--email', 'eve@example.com']),
    ]);
    const people = JSON.parse(listed.out);
    assert.deepEqual(
      people.map(({ role }: { role: string }) => role),
      ['owner', 'viewer'],
    );
    const { out, stderr } = reset;
    assert.match(out, /^https:\/\/platform\.example\/sign-in#token=[\w-]{43}\n$/, stderr);
    const link = await db.collection<Row>('sign_in_links').findOne({ _id: secretHash(out.trim().split('=')[1] ?? '') });
    assert.equal(link?.user_id, 'user_ada');
    assert.ok(expiresIn(Number(link?.expires_at), 3_600_000));
    assert.equal(await db.collection('audit_log').countDocuments({ action: 'user.link_made', target_id: 'user_ada' }), 1);
    assert.deepEqual([nobody.code, nobody.out], [1, '']);
  });

  await t.test('user: removes the second factors of one who lost them, ends the sessions and emails the user', async () => {
    const local = await accountNamed('local');
    const own = { account_id: local?._id, user_id: 'user_grace' };
    const grace = {
      name: 'Grace',
      email: 'grace@example.com',
      role: 'viewer',
      password: null,
      created_at: new Date(),
      has_second_factor: true,
    };
    await db.collection<Row>('users').insertOne({ _id: 'user_grace', account_id: local?._id, ...grace });
    const owned = ['second_factors', 'recovery_codes', 'sign_in_steps', 'sessions'];
    for (const name of owned) await db.collection<Row>(name).insertOne({ _id: `grace ${name}`, ...own });
    const mail = await startMailServer(t);
    const { code, out, stderr } = await run('user', ['reset-second-factor', '--email', 'grace@example.com'], { SMTP_URL: mail.url });
    assert.equal(code, 0, stderr);
    assert.match(out, /Removed 1 second factors of Grace/);
    for (const name of owned) assert.equal(await db.collection(name).countDocuments(own), 0, name);
    assert.equal((await db.collection<Row>('users').findOne({ _id: 'user_grace' }))?.has_second_factor, false);
    assert.equal(await db.collection('audit_log').countDocuments({ action: 'user.second_factor_reset', target_id: 'user_grace' }), 1);
    assert.match(mail.received(), /RCPT TO:<grace@example\.com>[\s\S]*Subject: Your second factors were removed/);
  });
  await t.test(
    'if an account requires single sign-on, the operator restores the owner with a link, and the others with account set',
    async () => {
      await db.collection<Row>('accounts').updateOne({ name: 'local' }, { $set: { single_sign_on: 'required' } });
      const [owner, other] = await Promise.all([run('sign-in-link', []), run('user', ['reset', '--email', 'ada@example.com'])]);
      assert.match(owner.out, /#token=/);
      assert.deepEqual([other.code, other.out], [1, '']);
      assert.match(other.stderr, /npm run account -- set --account local --single-sign-on optional/);
      const changed = await run('account', ['set', '--account', 'local', '--single-sign-on', 'optional']);
      assert.equal(JSON.parse(changed.out).single_sign_on, 'optional', changed.stderr);
      assert.equal((await run('user', ['reset', '--email', 'ada@example.com'])).code, 0);
    },
  );

  await t.test('context: prints a header that a service accepts for exactly that request', async () => {
    const { out } = await run('context', ['--permission', 'read_only', '--path', '/v2/contacts?limit=1']);
    const [name, value] = out.trim().split(': ');
    assert.equal(name, contextHeader);
    const context = verifyContext(parseKeyring(keys), value, { method: 'GET', path: '/v2/contacts?limit=1', now: Date.now() });
    assert.deepEqual([context?.account_id, context?.permission], [(await accountNamed('local'))?._id, 'read_only']);
    assert.equal(verifyContext(parseKeyring(keys), value, { method: 'GET', path: '/v2/contacts', now: Date.now() }), undefined);
  });

  await t.test('without configuration they report which variables are missing', async () => {
    const { code, stderr } = await run('key', ['--name', 'x', '--permission', 'admin'], { MONGODB_URL: '', CONTEXT_KEYS: '' });
    assert.equal(code, 1);
    assert.match(stderr, /MONGODB_URL[\s\S]*CONTEXT_KEYS/);
  });
});

/** Accepts every email and keeps what the client sent. */
async function startMailServer(t: TestContext) {
  let received = '';
  const server = createServer((socket) => {
    socket.write('220 ready\r\n');
    socket.on('data', (chunk) => {
      const text = chunk.toString();
      received += text;
      if (/^DATA/i.test(text)) socket.write('354 go on\r\n');
      else if (/^QUIT/i.test(text)) socket.end('221 bye\r\n');
      else if (/^(?:EHLO|MAIL|RCPT)/i.test(text) || received.endsWith('\r\n.\r\n')) socket.write('250 ok\r\n');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const address = server.address();
  return { url: `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, received: () => received };
}

test('durationMs accepts only durations of fixed length', () => {
  assert.equal(durationMs('P30D'), 30 * 86_400_000);
  assert.equal(durationMs('P2W'), 14 * 86_400_000);
  assert.equal(durationMs('PT12H'), 12 * 3_600_000);
  assert.equal(durationMs('P1DT30M'), 86_400_000 + 1_800_000);
  for (const text of ['P', 'PT', 'P1M', 'P1Y', '30', 'P-1D', 'P1DT', '']) assert.equal(durationMs(text), undefined, text);
});
