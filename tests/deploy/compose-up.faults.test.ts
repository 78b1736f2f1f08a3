import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '@mp/local-infra/free-port';
import { eventually } from '@mp/test-kit/eventually';
import { createClient } from '../client.ts';
import type { Json } from '../contract.ts';
import { root } from './chart.ts';
import { services } from './environments.ts';

const run = promisify(execFile);

/** The images in compose.yaml, and those that deploy/docker/local-base-images.sh builds where they cannot be pulled. */
const others = [
  ['MONGO_IMAGE', 'mongo:8', 'mp-local/mongo'],
  ['NATS_IMAGE', 'nats:2-alpine', 'mp-local/nats'],
  ['MAIL_IMAGE', 'axllent/mailpit:v1.21', 'mp-local/mail'],
] as const;

const succeeds = (...args: string[]) =>
  run('docker', args).then(
    () => true,
    () => false,
  );
const isThere = (image: string) => succeeds('image', 'inspect', image);

/** The images to run, or the reason why there are none. */
async function prepare(): Promise<{ images: Record<string, string> } | { skip: string }> {
  if (!(await succeeds('info'))) return { skip: 'the Docker engine is not reachable' };
  if (!(await succeeds('compose', 'version'))) return { skip: 'docker compose is not installed' };
  for (const service of services)
    if (!(await isThere(`mp/${service}`))) return { skip: `no image mp/${service}; deploy/docker/build-images.sh builds it` };
  const images: Record<string, string> = {};
  for (const [variable, official, local] of others) {
    const image = (await isThere(official)) ? official : local;
    if (!(await isThere(image)))
      return { skip: `neither ${official} nor ${local}; \`docker compose pull\` or deploy/docker/local-base-images.sh` };
    images[variable] = image;
  }
  return { images };
}

const prepared = await prepare();

test('docker compose up: the platform handles requests, sends emails, and keeps its data after a restart with new passwords', {
  skip: 'skip' in prepared && prepared.skip,
}, async (t) => {
  if ('skip' in prepared) return;
  const folder = await mkdtemp(join(tmpdir(), 'compose-'));
  const [gatewayPort, mailPort] = [await freePort(), await freePort()];
  const { PATH = '', HOME = '', DOCKER_HOST } = process.env;
  const env = {
    ...{ PATH, HOME, ...(DOCKER_HOST !== undefined && { DOCKER_HOST }) },
    ...prepared.images,
    ...{ GATEWAY_PORT: `${gatewayPort}`, MAIL_PORT: `${mailPort}` },
  };
  const envFile = join(folder, '.env');
  const compose = (...args: string[]) =>
    run('docker', ['compose', '--project-name', `mp-test-${process.pid}`, '--env-file', envFile, ...args], { cwd: root, env });
  const up = () => compose('up', '--detach', '--wait', '--wait-timeout', '180', '--no-build', '--pull', 'never');
  t.after(async () => {
    await compose('down', '--volumes', '--timeout', '10');
    await rm(folder, { recursive: true });
  });
  const makeEnv = () => run(process.execPath, [join(root, 'deploy/docker/make-env.mjs'), envFile]);
  await makeEnv();

  await up();
  const made = await compose('exec', '-T', 'gateway', 'node', 'src/cli/key.ts', '--name', 'First key', '--permission', 'read_write');
  const client = createClient(`http://127.0.0.1:${gatewayPort}`, made.stdout.trim());
  const contact = await client.post('/v2/contacts', { email: 'ada@example.com', first_name: 'Ada' });
  assert.equal(contact.status, 201);
  const campaign = await client.post('/v2/campaigns', {
    name: 'Hello',
    subject: 'Hi {{ contact.first_name }}',
    from: { email: 'news@example.com', name: 'News' },
    html: '<p>Hi</p>',
    audience: { include: ['all'] },
  });
  await client.post(`/v2/campaigns/${campaign.data.id}/send`);
  const { messages } = await eventually(async () => {
    const caught: Json = await fetch(`http://127.0.0.1:${mailPort}/api/v1/messages`).then((response) => response.json());
    return caught.total > 0 && caught;
  });
  assert.deepEqual(
    messages.map(({ Subject, To }: { Subject: string; To: { Address: string }[] }) => [Subject, To.map(({ Address }) => Address)]),
    [['Hi Ada', ['ada@example.com']]],
  );

  await compose('down', '--timeout', '45');
  await assert.rejects(client.get('/v2/contacts'));
  const secrets = await readFile(envFile, 'utf8');
  await writeFile(envFile, secrets.replaceAll(/^CONTACTS_.*_PASSWORD=.*\n/gm, ''));
  await makeEnv();
  await up();
  assert.equal((await client.get(`/v2/contacts/${contact.data.id}`)).data.email, 'ada@example.com');
  await eventually(async () => (await client.get(`/v2/campaigns/${campaign.data.id}`)).data.status === 'sent');

  // The operation that needs the most access rights: it touches every database and every stream.
  const erasure = await client.post(`/v2/contacts/${contact.data.id}/erase`);
  await eventually(async () => (await client.get(`/v2/contacts/erasures/${erasure.data.id}`)).data.status === 'completed');
});
