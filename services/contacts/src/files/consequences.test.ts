import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SegmentsApplied } from '@mp/contracts/requests/segments';
import { streams } from '@mp/contracts/streams';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { createContact } from '../../test/contacts.ts';
import { endOfJob, importFile } from '../../test/jobs.ts';
import { buildApp } from '../app.ts';

const imports = '/v2/contacts/imports';
const fileOf = (count: number, at: string) =>
  `email\n${Array.from({ length: count }, (_, index) => `c${index}@${at}.example`).join('\n')}\n`;

test('a job says whether segments reflect it', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const { broker, outbox } = parts;
  const end = () => broker.position(streams.contacts);
  const read = async (account: Client, id: string, path = imports) => (await account.get(`${path}/${id}`)).data.consequences;
  const published = (account: Client) => eventually(async () => (await outbox.oldestPending(account.accountId)) === undefined);

  await t.test('is pending while segments does not reply', async () => {
    const account = testClient(app);
    const job = await importFile(account, fileOf(1, 'silent'));
    assert.deepEqual([job.status, await read(account, job.id)], ['completed', { status: 'pending', progress: 0, applied_at: null }]);
  });

  const limits = { live: Number.MAX_SAFE_INTEGER, bulk: Number.MAX_SAFE_INTEGER };
  const unlimited = { ...limits };
  await broker.reply(SegmentsApplied, async () => {
    const { sequence, ...position } = await end();
    return { applied: { ...position, sequence: Math.min(sequence, limits.live), bulk: Math.min(sequence, limits.bulk) } };
  });

  await t.test('shows the progress of segments, then stays applied, however much is written later', async () => {
    const account = testClient(app);
    const { sequence: start } = await end();
    limits.live = start + 5;
    const job = await importFile(account, fileOf(10, 'own'));
    await eventually(async () => (await read(account, job.id)).progress > 0);
    // The event of the import itself may be the last one to wait for.
    const half = await read(account, job.id);
    assert.deepEqual([half.status, half.applied_at], ['pending', null]);
    assert.ok(half.progress >= 0.4 && half.progress <= 0.5, `${half.progress}`);
    limits.live = (await end()).sequence;
    await createContact(account, { email: 'later@own.example' });
    await published(account);
    const done = await read(account, job.id);
    assert.deepEqual([done.status, done.progress], ['applied', 1], 'a later contact does not count');
    limits.live = start;
    assert.deepEqual(await read(account, job.id), done);
    Object.assign(limits, unlimited);
  });

  await t.test('waits for the bulk lane only if the account has events there', async () => {
    const [large, small] = [testClient(app), testClient(app)];
    limits.bulk = (await end()).sequence + 700;
    const job = await importFile(large, fileOf(1_100, 'large'));
    const other = await importFile(small, fileOf(2, 'small'));
    await published(large);
    await eventually(async () => (await read(small, other.id)).status === 'applied');
    const behind = await read(large, job.id);
    assert.equal(behind.status, 'pending');
    assert.ok(behind.progress > 0.5 && behind.progress < 1, `${behind.progress}`);
    Object.assign(limits, unlimited);
    assert.equal((await read(large, job.id)).status, 'applied');
  });

  await t.test('belongs to bulk jobs, too, and is null for a job that changes nothing', async () => {
    const account = testClient(app);
    const { id } = await createContact(account, { email: 'one@bulk.example' });
    const path = '/v2/contacts/bulk';
    const run = async (dry_run: boolean) => {
      const { data } = await account.post(path, { select: { ids: [id] }, action: 'add_tag', tag: 'vip', dry_run });
      return endOfJob(account, `${path}/${data.id}`);
    };
    assert.equal((await run(true)).consequences, null);
    const job = await run(false);
    await eventually(async () => (await read(account, job.id, path)).status === 'applied');
    const dry = await importFile(account, fileOf(1, 'dry'), { query: 'dry_run=true' });
    assert.equal(dry.consequences, null);
  });
});
