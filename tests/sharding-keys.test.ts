import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { type ServiceName, serviceNames } from '@mp/contracts/services';
import { acquireInfra } from '@mp/local-infra/infra';
import { testNamespace } from '@mp/test-kit/test-parts';
import { MongoClient } from 'mongodb';
import { readArchive } from './upgrades/archive.ts';

const root = new URL('../', import.meta.url).pathname;
const page = readFileSync(`${root}docs/scaling.md`, 'utf8');

type Index = { service: ServiceName; collection: string; name: string; fields: string[]; isUnique: boolean; expireAfterSeconds?: number };

/** Every index of the platform, as its services create them in empty databases. */
let indexes: Index[] = [];

before(async () => {
  const infra = await acquireInfra({ dir: `${root}.data/test` });
  const client = new MongoClient(infra.mongoUrl);
  const namespace = `${testNamespace}_keys`;
  const perService = await Promise.all(
    serviceNames.map(async (service) => {
      const job = spawn(process.execPath, [`${root}services/${service}/src/main.ts`, 'prepare'], {
        cwd: `${root}services/${service}`,
        env: { ...process.env, ...infra.env, NAMESPACE: namespace, NODE_ENV: 'development', LOG_LEVEL: 'warn' },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      assert.deepEqual(await once(job, 'exit'), [0, null]);
      const database = client.db(`${namespace}_${service}`);
      const collections = await database.listCollections({}, { nameOnly: true }).toArray();
      const found = collections.map(async ({ name: collection }) => {
        const own = await database.collection(collection).indexes();
        await database.dropCollection(collection);
        return own.map(({ name, key, unique = false, expireAfterSeconds }) => ({
          ...{ service, collection, name: String(name), fields: Object.keys(key) },
          ...{ isUnique: unique, ...(expireAfterSeconds !== undefined && { expireAfterSeconds }) },
        }));
      });
      return (await Promise.all(found)).flat();
    }),
  );
  indexes = perService.flat();
  await client.close();
  await infra.release();
});

const isLedBy = (field: string) => (index: Index) => index.fields[0] === field;
const nameOf = ({ service, collection }: Index) => `${service}.${collection}`;
/** The text below a heading, up to the next one. */
const sectionOf = (text: string, heading: string) => (text.split(`\n${heading}\n`)[1] ?? '').split('\n#')[0] ?? '';
const namedBy = (heading: string) =>
  [...sectionOf(page, `### ${heading}`).matchAll(/`([a-z]+\.[a-z_]+)`/g)].map(([, name = '']) => name).sort();
/** Named as `collection` (`index`, `index`). */
const indexesNamedIn = (section: string) =>
  [...section.matchAll(/`([a-z]+\.[a-z_]+)` \(([^)]+)\)/g)]
    .flatMap(([, collection, names = '']) => names.split(', ').map((name) => `${collection} ${name.replaceAll('`', '')}`))
    .sort();

test('a unique index begins with the account, so that sharding keeps it, or belongs to a directory that docs/scaling.md names', () => {
  const directories = indexes.filter((index) => index.isUnique && !isLedBy('account_id')(index));
  assert.ok(indexes.filter(({ isUnique }) => isUnique).length > 25);
  assert.deepEqual([...new Set(directories.map(nameOf))].sort(), namedBy('Directories'));
});

test('the unique indexes that docs/scaling.md names are those of the largest collections', () => {
  const named = [...sectionOf(page, '## Sharding').matchAll(/`([a-z]+\.[a-z_]+)` \(`\{([^}]+)\}`\)/g)];
  const unique = new Set(indexes.filter(({ isUnique }) => isUnique).map((index) => `${nameOf(index)} ${index.fields.join(', ')}`));
  assert.equal(named.length, 3);
  for (const [text, collection, fields] of named) assert.ok(unique.has(`${collection} ${fields}`), text);
});

test('an index that a worker reads for all accounts belongs to a queue, and docs/scaling.md names both', () => {
  const directories = new Set(namedBy('Directories'));
  const queues = indexes
    .filter((index) => !index.isUnique && index.expireAfterSeconds === undefined && !isLedBy('account_id')(index) && !isLedBy('_id')(index))
    .filter((index) => !directories.has(nameOf(index)))
    .map((index) => `${nameOf(index)} ${index.name}`);
  assert.deepEqual(queues.sort(), indexesNamedIn(sectionOf(page, '### Queues')));
});

test('an index that a release adds to a collection with data is named in docs/guides/upgrading.md', async () => {
  const version =
    readdirSync(`${root}tests/upgrades`).findLast((name) => /^\d+\.\d+\.\d+$/.test(name)) ?? assert.fail('There is no fixture.');
  const before = new Map<string, string[]>();
  for (const service of serviceNames)
    for (const { collection, indexes: own } of await readArchive(`${root}tests/upgrades/${version}/${service}.bson.br`))
      if (Array.isArray(own)) before.set(`${service}.${collection}`, ['_id_', ...own.map(({ name }) => String(name))]);
  const added = indexes.filter((index) => before.has(nameOf(index)) && !before.get(nameOf(index))?.includes(index.name));
  const named = indexesNamedIn(sectionOf(readFileSync(`${root}docs/guides/upgrading.md`, 'utf8'), `### From ${version}`));
  assert.deepEqual(named, added.map((index) => `${nameOf(index)} ${index.name}`).sort());
});

test('an index that removes documents does so within five years', () => {
  const longest = 5 * 366 * 24 * 60 * 60;
  const expiring = indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
  assert.ok(expiring.length > 40);
  assert.deepEqual(expiring.filter(({ expireAfterSeconds = 0 }) => expireAfterSeconds > longest).map(nameOf), []);
});
