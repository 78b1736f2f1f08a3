import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { positionRequests, Source } from '@mp/contracts/requests/positions';
import { streams } from '@mp/contracts/streams';
import { findMongod } from '@mp/local-infra/find-mongod';
import { findNatsServer } from '@mp/local-infra/find-nats';
import { freePort } from '@mp/local-infra/free-port';
import { eventually } from '@mp/test-kit/eventually';
import { connect, createInbox } from '@nats-io/transport-node';
import { MongoClient } from 'mongodb';
import { rightsOf } from '../../deploy/nats/users.ts';
import { root } from './chart.ts';
import { services } from './environments.ts';

const run = promisify(execFile);

async function folderOf(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'access-'));
  const children: ChildProcess[] = [];
  t.after(async () => {
    for (const child of children) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.kill('SIGKILL')) await gone;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return {
    folder,
    start: (path: string, args: string[], env = {}) =>
      children.push(spawn(path, args, { stdio: 'ignore', env: { ...process.env, ...env } })),
  };
}

test('in MongoDB each service can access only its own database', async (t) => {
  const { folder, start } = await folderOf(t);
  const { path } = await findMongod(folder, () => undefined);
  const port = await freePort();
  const keyFile = join(folder, 'replica.key');
  await writeFile(keyFile, randomBytes(48).toString('hex'), { mode: 0o400 });
  start(path, [
    '--dbpath',
    folder,
    '--port',
    `${port}`,
    '--bind_ip',
    '127.0.0.1',
    '--replSet',
    'rs0',
    '--keyFile',
    keyFile,
    '--nounixsocket',
    '--wiredTigerCacheSizeGB',
    '0.25',
    '--oplogSize',
    '64',
  ]);
  const passwords = Object.fromEntries(
    ['ROOT', ...services.map((name) => name.toUpperCase())].map((name) => [`${name}_MONGODB_PASSWORD`, `p${name}`]),
  );
  const env = { ...process.env, ...passwords, MONGODB_PORT: `${port}`, MONGODB_MEMBER: `localhost:${port}` };
  const prepare = () => run(process.execPath, [join(root, 'deploy/mongodb/prepare.ts')], { env });
  await prepare();

  await prepare();
  const as = async (user: string, work: (client: MongoClient) => Promise<unknown>) => {
    const client = new MongoClient(`mongodb://${user}:p${user.toUpperCase()}@localhost:${port}/?replicaSet=rs0`);
    await work(client).finally(() => client.close());
  };
  const refused = { codeName: 'Unauthorized' };
  for (const user of services) {
    await as(user, async (client) => {
      const own = client.db(user).collection('things');
      await own.createIndex({ account_id: 1 });
      await client.withSession((session) => session.withTransaction(() => own.insertOne({ account_id: 'account_1' }, { session })));
      assert.equal(await own.countDocuments(), 1);
      const [foreign = ''] = services.filter((other) => other !== user);
      await assert.rejects(client.db(foreign).collection('things').findOne(), refused);
      await assert.rejects(client.db(foreign).collection('things').insertOne({}), refused);
      await assert.rejects(client.db('admin').command({ usersInfo: 1 }), refused);
    });
  }
  const stranger = new MongoClient(`mongodb://localhost:${port}/?directConnection=true`);
  t.after(() => stranger.close());
  await assert.rejects(stranger.db('contacts').collection('things').findOne());
});

test('in NATS each service can publish and subscribe only to its own subjects', async (t) => {
  const { folder, start } = await folderOf(t);
  const { path } = await findNatsServer(folder, () => undefined);
  const port = await freePort();
  await copyFile(join(root, 'deploy/nats/users.conf'), join(folder, 'users.conf'));
  await writeFile(
    join(folder, 'nats.conf'),
    `port: ${port}\nhost: 127.0.0.1\njetstream: { store_dir: "${folder}/js" }\ninclude users.conf\n`,
  );
  const passwords = Object.fromEntries(['operator', ...services].map((name) => [`${name.toUpperCase()}_NATS_PASSWORD`, `p${name}`]));
  start(path, ['--config', join(folder, 'nats.conf')], passwords);

  const as = (user: string) =>
    connect({ servers: `127.0.0.1:${port}`, user, pass: `p${user}`, inboxPrefix: `_INBOX_${user}`, reconnect: false });
  const operator = await eventually(() => as('operator').catch(() => undefined));
  t.after(() => operator.close());
  await assert.rejects(connect({ servers: `127.0.0.1:${port}`, reconnect: false }));
  for (const { name, subject } of Object.values(streams))
    await operator.request(`$JS.API.STREAM.CREATE.${name}`, JSON.stringify({ name, subjects: [subject] }), { timeout: 60_000 });

  /** Whether nats-server allows the user to send a request to the subject, whatever the reply. */
  const canPublish = async (user: string, subject: string) => {
    const connection = await as(user);
    const reported: string[] = [];
    const listening = (async () => {
      for await (const status of connection.status()) if (status.type === 'error') reported.push(status.error.message);
    })();
    const reply = createInbox(`_INBOX_${user}`);
    connection.subscribe(reply);
    connection.publish(subject, '{}', { reply });
    // A permission error arrives before the reply to this.
    await connection.flush();
    await connection.close();
    await listening;
    return !reported.some((message) => /permissions violation/i.test(message));
  };
  assert.equal(await canPublish('contacts', 'contacts.contact.created.v1'), true);
  assert.equal(await canPublish('campaigns', 'rpc.contacts.find.v1'), true);
  assert.equal(await canPublish('segments', '$JS.API.CONSUMER.MSG.NEXT.CONTACTS.segments-contacts'), true);
  for (const { name } of Object.values(streams))
    for (const user of ['contacts', 'gateway']) assert.equal(await canPublish(user, `$JS.API.STREAM.MSG.DELETE.${name}`), true, name);
  for (const [user, subject] of [
    ['segments', 'contacts.contact.created.v1'],
    ['leadpulse', 'campaigns.message.sent.v1'],
    ['contacts', 'rpc.segments.evaluate.v1'],
    ['leadpulse', '$JS.API.CONSUMER.MSG.NEXT.CONTACTS.segments-contacts'],
    ['leadpulse', '$JS.API.CONSUMER.CREATE.PLATFORM.spy.platform.>'],
    ['contacts', '$JS.API.STREAM.MSG.GET.PLATFORM'],
    ['segments', '$JS.API.STREAM.MSG.DELETE.CONTACTS'],
    ['segments', '$JS.API.CONSUMER.CREATE.CONTACTS.spy'],
    ['contacts', '$JS.API.STREAM.DELETE.CONTACTS'],
    ['contacts', '$JS.API.STREAM.PURGE.DEAD'],
  ] as const)
    assert.equal(await canPublish(user, subject), false, `${user} ${subject}`);

  /** Whether nats-server allows the user to subscribe to the subject. */
  const canSubscribe = async (user: string, subject: string) => {
    const connection = await as(user);
    const refused = Promise.withResolvers<boolean>();
    connection.subscribe(subject, {
      callback: (error) => {
        if (error) refused.resolve(true);
      },
    });
    await connection.flush();
    const outcome = await Promise.race([refused.promise, connection.flush().then(() => false)]);
    await connection.close();
    return !outcome;
  };
  assert.equal(await canSubscribe('gateway', 'platform.credential.revoked.v1'), true);
  assert.equal(await canSubscribe('contacts', 'rpc.contacts.find.v1'), true);
  for (const [user, subject] of [
    ['segments', 'contacts.>'],
    ['segments', 'rpc.contacts.find.v1'],
    ['segments', '_INBOX_contacts.>'],
    ['segments', '>'],
  ] as const)
    assert.equal(await canSubscribe(user, subject), false, `${user} ${subject}`);
});

test('the NATS user of each service can send the requests that the service sends', async () => {
  const subjects = await requestSubjects();
  let count = 0;
  for (const name of services) {
    const { publish } = rightsOf({ name, consumers: [] });
    const sent = await requestsOf(name, subjects);
    count += sent.size;
    for (const subject of sent) assert.ok(publish.includes(subject), `${name} sends ${subject}`);
  }
  assert.ok(count > 15, `${count} requests`);
  const erasing = await run('git', ['grep', '-lF', 'broker.eraseFrom(', '--', 'services/*/src/*.ts', 'services/*/src/**/*.ts'], {
    cwd: root,
  });
  assert.match(erasing.stdout, /^(?:services\/(?:contacts|gateway)\/\S+\n)+$/, 'only contacts and the gateway can erase from streams');
});

/** The subject of each request by its name in the sources. */
async function requestSubjects(): Promise<Map<string, string>> {
  const folder = join(root, 'libs/contracts/src/requests');
  const subjects = new Map<string, string>();
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const names: Record<string, unknown> = await import(join(folder, file));
    for (const [name, request] of Object.entries(names))
      if (typeof request === 'object' && request !== null && 'subject' in request) subjects.set(name, String(request.subject));
  }
  return subjects;
}

/** What a service sends: the requests that it names, those of `findContacts`, and those of `requestPositions`. */
async function requestsOf(service: string, subjects: ReadonlyMap<string, string>): Promise<Set<string>> {
  const { stdout } = await run(
    'git',
    // `buildApp` is in every service: git fails if it finds nothing.
    ['grep', '-hE', 'request\\(|findContacts\\(|requestPositions\\(|buildApp', '--', `services/${service}/src/`, ':!*.test.ts'],
    {
      cwd: root,
    },
  );
  const requested = [...stdout.matchAll(/\brequest\(([A-Z][A-Za-z]+)/g)].map(([, name = '']) => subjects.get(name) ?? name);
  const find = stdout.includes('findContacts(') ? [subjects.get('ContactsFind') ?? ''] : [];
  const sources = stdout.includes('requestPositions(')
    ? ['contacts', 'leadpulse', 'campaigns'].map((name) => positionRequests[Source.parse(name)].subject)
    : [];
  return new Set([...requested, ...find, ...sources]);
}
