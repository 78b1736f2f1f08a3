import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { AccountErased } from '@mp/contracts/events/platform';
import { type ServiceName, serviceNames } from '@mp/contracts/services';
import { streams } from '@mp/contracts/streams';
import { createBroker } from '@mp/service-kit/broker';
import { createLogger } from '@mp/service-kit/logger';
import { eventually } from '@mp/test-kit/eventually';
import { copyDatabases } from './database-copy.ts';
import { type Call, createFixtures, createRecorder } from './documentation/fixtures.ts';
import { startPlatform } from './platform.ts';

const minute = 60_000;
const run = promisify(execFile);

/** Collections without documents of accounts, and the receipts. */
const withoutAccounts = ['inbox', 'streams', 'once', 'leases', 'counting', 'salts', 'sign_in_attempts'];
const receipts = ['account_erasures', 'account_deletions'];

test('a deleted account leaves nothing but its receipt, whichever process is killed, and its neighbour keeps everything', async (t) => {
  const platform = await startPlatform(t);
  const gone = await platform.client('--permission', 'admin', '--account', 'gone');
  const neighbour = await platform.client('--permission', 'admin', '--account', 'neighbour');
  const accountId: string = (await gone.get('/v2/settings/account')).data.id;
  const neighbourId: string = (await neighbour.get('/v2/settings/account')).data.id;
  const databases = serviceNames.map((name) => `${platform.namespace}_${name}`);
  const account = async (...args: string[]) => JSON.parse(await platform.command('account.ts', ...args));
  const isRefused = async () => (await gone.get('/v2/contacts')).status;
  const documents = () => copyDatabases(platform.infra.mongoUrl, databases);
  const ofNeighbour = async () =>
    [...(await documents())].flatMap(([name, rows]) => {
      const own = rows.filter((row) => JSON.stringify(row).includes(neighbourId));
      return own.length === 0 || name.endsWith('.outbox') || name.endsWith('.idempotency_claims') ? [] : `${name} ${own.length}`;
    });

  // The examples of the API documentation have something of every kind.
  // A template's time limit is short for a busy machine.
  const patient: Call = (_, request) =>
    eventually(async () => {
      const response = await gone.call(...request);
      return response.status < 500 && !response.text.includes('takes too much time') && response;
    }, 3 * minute);
  const { record } = createRecorder(await platform.contract(), gone, patient);
  const fixtures = await createFixtures(record);
  await record('createSite', { body: { name: 'Shop', origins: ['https://shop.example.com'] } });
  await record('updateLeadpulseSettings', { body: { blocked_properties: ['card'] } });
  await record('updateContactSettings', { body: { default_consent: 'pending' } });
  await record('createSender', { body: { domain: 'news.example.com' } });
  await record('createBulkJob', { body: { select: { filter: {} }, action: 'add_tag', tag: 'reader' } });
  await record('sendCampaign', { params: { id: fixtures.campaigns ?? '' }, body: {} });
  const contact = (await neighbour.post('/v2/contacts', { email: 'ada@example.com' })).data;
  const definition = { all: [{ field: 'email', op: 'eq', value: 'ada@example.com' }] };
  const segment = (await neighbour.post('/v2/segments', { name: 'Ada', definition })).data;
  await eventually(async () => (await neighbour.get(`/v2/segments/${segment.id}`)).data.count === 1, 3 * minute);

  await t.test('the deletion can be cancelled while its grace period lasts', async () => {
    const scheduled = await account('delete', '--account', 'gone', '--grace', 'PT1H');
    assert.deepEqual([scheduled.status, scheduled.completed_at], ['scheduled', null]);
    await eventually(async () => (await isRefused()) === 403, minute);
    assert.deepEqual(await account('delete', '--account', 'gone'), scheduled, 'a second one changes nothing');
    await assert.rejects(account('set', '--account', 'gone', '--status', 'active'), /is being deleted; cancel that first/);
    assert.equal((await account('cancel-deletion', '--account', 'gone')).status, 'active');
    await eventually(async () => (await isRefused()) === 200, minute);
    await assert.rejects(account('cancel-deletion', '--account', 'gone'), /not in the grace period/);
  });

  await t.test('everything of the account can be exported before, without secrets', async () => {
    const folder = join(platform.folder, 'export');
    const script = new URL('../scripts/export-account.ts', import.meta.url).pathname;
    const env = { ...process.env, ...platform.infra.env, NAMESPACE: platform.namespace, NODE_ENV: 'development' };
    await run(process.execPath, [script, '--account', accountId, '--to', folder], { env });
    const files = await readdir(folder, { recursive: true });
    for (const file of ['contacts/contacts', 'segments/segments', 'campaigns/campaigns', 'leadpulse/events', 'workflows/workflows'])
      assert.ok(files.includes(`${file}.ndjson`), `${file} in ${files}`);
    const text = (
      await Promise.all(files.filter((file) => file.endsWith('.ndjson')).map((file) => readFile(join(folder, file), 'utf8')))
    ).join('');
    assert.ok(text.includes(accountId) && !text.includes(neighbourId));
    const copy = await documents();
    for (const [collection, members] of Object.entries({
      'gateway.api_keys': ['hash'],
      'gateway.users': ['password'],
      'campaigns.senders': ['private_key'],
      'leadpulse.sites': ['sealed_secret'],
      'workflows.webhooks': ['headers'],
    }))
      for (const row of copy.get(`${platform.namespace}_${collection}`) ?? [])
        for (const member of members) assert.ok(!row[member] || !text.includes(row[member]), `${collection}.${member} is not exported`);
  });

  await t.test('it is erased although processes are killed at every step', async () => {
    const kept = await ofNeighbour();
    // They run before the deletion begins, because the others could have removed everything by the time they are killed.
    const revivals: Promise<unknown>[] = [];
    const startDying = async (name: ServiceName, nth: string, after: string) => {
      await platform.stop(name, 'SIGKILL');
      const child = await platform.start(name, 'tests/dying-service.ts', [name, nth, after]);
      revivals.push(once(child, 'exit').then(() => platform.start(name)));
    };
    await startDying('contacts', '3', 'batch');
    await startDying('segments', '2', 'batch');
    // After the confirmation is stored and before it is published.
    await startDying('campaigns', '1', 'commit');
    await account('delete', '--account', 'gone', '--grace', 'PT0M');
    const receiptsOf = async () => (await account('deletions'))[0].receipts;
    await eventually(async () => (await receiptsOf()).workflows !== null, 4 * minute);
    await platform.stop('gateway', 'SIGKILL');
    await Promise.all(revivals);
    await platform.start('gateway');
    const [deletion] = await eventually(async () => {
      const all = await account('deletions');
      return all[0].status === 'completed' && all;
    }, 6 * minute);
    assert.deepEqual([deletion.account_id, deletion.name], [accountId, null]);
    for (const name of serviceNames) assert.ok(Object.keys(deletion.receipts[name].removed).length > 0, name);

    const left = await eventually(async () => {
      const copy = await documents();
      const rows = [...copy].flatMap(([name, found]) => {
        const [, collection = ''] = name.split('.');
        if (withoutAccounts.includes(collection) || receipts.includes(collection)) return [];
        return found.filter((row) => !JSON.stringify(row).includes(neighbourId)).map((row) => `${name} ${JSON.stringify(row)}`);
      });
      const mentioned = [...copy].flatMap(([name, found]) => {
        const isReceipt = receipts.some((collection) => name.endsWith(`.${collection}`));
        return isReceipt ? [] : found.filter((row) => JSON.stringify(row).includes(accountId)).map(() => name);
      });
      // The confirmations leave the outboxes a moment after they are published.
      return [...rows, ...mentioned].some((text) => text.includes('.outbox')) ? undefined : [...rows, ...mentioned];
    }, minute);
    assert.deepEqual(left, []);
    assert.deepEqual(await ofNeighbour(), kept);
    assert.equal((await neighbour.get(`/v2/contacts/${contact.id}`)).data.email, 'ada@example.com');
    await eventually(async () => (await isRefused()) === 401, minute);
  });

  await t.test('its events are removed from the streams, except the request to erase it, which a restore repeats', async () => {
    const { natsUrl } = platform.infra;
    const broker = createBroker({
      url: natsUrl,
      namespace: platform.namespace,
      service: 'contacts',
      logger: createLogger('test', 'silent'),
    });
    broker.start();
    t.after(() => broker.stop());
    const types: string[] = [];
    for (const stream of Object.values(streams))
      await broker.readSince(stream, new Date(0), async (payload) => {
        if (payload.includes(accountId)) types.push(JSON.parse(payload).type);
      });
    assert.deepEqual([...new Set(types)], [AccountErased.type]);
  });

  await t.test('its name is free again, and its id stays unknown', async () => {
    const again = await account('create', '--name', 'gone', '--plan', 'starter');
    assert.notEqual(again.id, accountId);
    assert.equal((await account('delete', '--account', accountId)).status, 'completed');
  });
});
