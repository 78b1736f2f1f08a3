import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathOf } from '@mp/local-infra/test-tools';
import { startNatsServers } from '@mp/test-kit/nats-servers';
import { connect, credsAuthenticator } from '@nats-io/transport-node';
import { call, root, without } from './chart.ts';
import { services } from './environments.ts';

const script = join(root, 'deploy/nats/add-users.sh');

/** The permissions that the script sets, by service. */
async function wantedPermissions() {
  const text = await readFile(script, 'utf8');
  const users = [...text.matchAll(/^user (\w+) \\\n {2}'(.+)' \\\n {2}'(.+)'$/gm)];
  return Object.fromEntries(
    users.map(([, name = '', publish = '', subscribe = '']) => [name, { publish: sorted(publish), subscribe: sorted(subscribe) }]),
  );
}

const sorted = (list: string) => [...new Set(list.split(','))].sort();

/** nsc with an operator and an account in a separate folder, as docs/operations.md sets them up. */
async function nscIn(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'nsc-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const path = `${dirname(pathOf('nsc') ?? '')}${delimiter}${process.env.PATH}`;
  const own = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'data') };
  const env = { ...process.env, ...own, PATH: path };
  const nsc = async (...args: string[]) => (await call('nsc', args, env)).stdout;
  await nsc('add', 'operator', '--name', 'test', '--sys');
  await nsc('add', 'account', '--name', 'platform');
  const jetStream = ['--js-mem-storage', '--js-disk-storage', '--js-streams', '--js-consumer'].flatMap((flag) => [flag, '-1']);
  await nsc('edit', 'account', '--name', 'platform', ...jetStream);
  return {
    folder,
    nsc,
    addUsers: () => call('sh', ['-c', `cd "${folder}" && sh "${script}" platform`], env),
    /** The permissions of each signing key of the account, by its role. */
    async permissions() {
      const { nats } = JSON.parse(await nsc('describe', 'account', '--name', 'platform', '--json'));
      const roles = nats.signing_keys.map(
        ({ role, template }: { role: string; template: { pub: { allow: string[] }; sub: { allow: string[] } } }) => [
          role,
          { publish: template.pub.allow.toSorted(), subscribe: template.sub.allow.toSorted() },
        ],
      );
      assert.equal(roles.length, services.length);
      return Object.fromEntries(roles);
    },
  };
}

/** Whether nats-server allows the owner of the credentials in this folder to publish to a subject. */
const publishingTo = (url: string, folder: string) => async (user: string, subject: string) => {
  const authenticator = credsAuthenticator(await readFile(join(folder, `${user}.creds`)));
  const connection = await connect({ servers: url, authenticator, inboxPrefix: `_INBOX_${user}`, reconnect: false });
  const violations: string[] = [];
  const listening = (async () => {
    for await (const status of connection.status()) if (status.type === 'error') violations.push(status.error.message);
  })();
  connection.publish(subject, '{}');
  await connection.flush();
  await connection.close();
  await listening;
  return violations.length === 0;
};

test('add-users.sh gives the signing key of each service exactly its permissions, even after they changed', {
  skip: without('nsc'),
}, async (t) => {
  const { folder, nsc, addUsers, permissions } = await nscIn(t);
  const wanted = await wantedPermissions();
  assert.deepEqual(Object.keys(wanted).toSorted(), [...services].toSorted());
  await addUsers();
  assert.deepEqual(await permissions(), wanted);

  const file = (name: string) => readFile(join(folder, name), 'utf8');
  const before = await Promise.all(services.map((name) => file(`${name}.creds`)));
  const key = (await file('contacts.key')).trim();
  await nsc('edit', 'signing-key', '--account', 'platform', '--sk', key, '--allow-pub', 'segments.>', '--allow-sub', '>');
  await nsc('edit', 'signing-key', '--account', 'platform', '--sk', key, '--rm', 'contacts.>');
  assert.notDeepEqual(await permissions(), wanted);
  await addUsers();
  assert.deepEqual(await permissions(), wanted);
  assert.deepEqual(await Promise.all(services.map((name) => file(`${name}.creds`))), before);

  const config = await nsc('generate', 'config', '--mem-resolver', '--sys-account', 'SYS');
  const operator = join(folder, 'operator.creds');
  const { url } = await startNatsServers(t, { config, files: { NATS_CREDS_FILE: operator } });

  const canPublish = publishingTo(url, folder);
  assert.equal(await canPublish('contacts', 'contacts.contact.created.v1'), true);
  assert.equal(await canPublish('contacts', 'segments.membership.changed.v1'), false);
  assert.equal(await canPublish('operator', 'segments.membership.changed.v1'), true);
});

test('add-users.sh resumes after it was interrupted', { skip: without('nsc') }, async (t) => {
  const { folder, nsc, addUsers, permissions } = await nscIn(t);
  // A key without its user, and one that the account lost.
  await addUsers();
  const key = (await readFile(join(folder, 'segments.key'), 'utf8')).trim();
  await nsc('edit', 'account', '--name', 'platform', '--rm-sk', key);
  await nsc('delete', 'user', '--account', 'platform', '--name', 'workflows');
  await rm(join(folder, 'workflows.creds'));
  await addUsers();
  assert.deepEqual(await permissions(), await wantedPermissions());
  assert.match(await readFile(join(folder, 'workflows.creds'), 'utf8'), /BEGIN NATS USER JWT/);
});

test('nsc push removes a permission of an earlier version from a running nats-server, and the credentials stay valid', {
  skip: without('nsc'),
}, async (t) => {
  const { folder, nsc, addUsers } = await nscIn(t);
  await addUsers();
  const key = (await readFile(join(folder, 'contacts.key'), 'utf8')).trim();
  await nsc('edit', 'signing-key', '--account', 'platform', '--sk', key, '--allow-pub', 'segments.>');

  // The server stores the JWTs of accounts, as in a cluster, and begins with the account of the earlier version.
  const { sub } = JSON.parse(await nsc('describe', 'account', '--name', 'platform', '--json'));
  const jwt = (await nsc('describe', 'account', '--name', 'platform', '--raw')).trim();
  const config = (await nsc('generate', 'config', '--nats-resolver', '--sys-account', 'SYS'))
    .replace(/dir: .+/, `dir: "${join(folder, 'jwt')}"`)
    .replace(/resolver_preload: \{/, `resolver_preload: {\n  ${sub}: ${jwt}`);
  const { url } = await startNatsServers(t, { config, files: { NATS_CREDS_FILE: join(folder, 'operator.creds') } });
  await nsc('edit', 'operator', '--account-jwt-server-url', url);
  const canPublish = publishingTo(url, folder);
  const [own, foreign] = ['contacts.contact.created.v1', 'segments.membership.changed.v1'];
  assert.equal(await canPublish('contacts', foreign), true);

  await addUsers();
  assert.equal(await canPublish('contacts', foreign), true, 'not pushed yet');
  await nsc('push', '--account', 'platform');
  assert.equal(await canPublish('contacts', foreign), false);
  assert.equal(await canPublish('contacts', own), true);
});
