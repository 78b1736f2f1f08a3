import assert from 'node:assert/strict';
import { test } from 'node:test';
import { erasingServices } from '@mp/contracts/erasure';
import {
  ContactCreated,
  ContactDeleted,
  ContactErased,
  ContactMerged,
  ContactUnmerged,
  ContactUpdated,
  ImportCompleted,
} from '@mp/contracts/events/contacts';
import { streams } from '@mp/contracts/streams';
import { eventually } from '@mp/test-kit/eventually';
import { testInfra } from '@mp/test-kit/infra';
import { startServiceProcess } from '@mp/test-kit/service-process';
import { receiptEvents } from '../src/erasures/on-erased.ts';
import { publishEvent } from './publish-event.ts';

type Service = Awaited<ReturnType<typeof startServiceProcess>>;

const count = async ({ get }: Service) => (await get('/v2/contacts?limit=1&include=total_count')).data.pagination.total_count;

test('after a kill during a batch, written rows are complete and the rest can be sent again', async (t) => {
  const service = await startServiceProcess(t, 'contacts', await testInfra());
  const contacts = Array.from({ length: 1_000 }, (_, index) => ({ email: `b${index}@example.com`, tags: ['t'] }));
  const dying = await service.startDying(1);
  const lost = service.post('/v2/contacts/batch', { contacts });
  await dying.gone();
  assert.ok(![200].includes((await lost).status));
  await service.start();
  assert.equal(await count(service), 500, 'only the first of the two transactions is written');
  const { data } = await service.post('/v2/contacts/batch', { contacts });
  assert.deepEqual(data.counts, { created: 500, updated: 0, unchanged: 500, error: 0 });
  assert.deepEqual([await count(service), await service.published(ContactCreated.subject)], [1_000, 1_000]);
});

test('after repeated kills, an import resumes where it stopped and duplicates nothing', async (t) => {
  const service = await startServiceProcess(t, 'contacts', await testInfra());
  // Every tenth row is invalid, every seventh repeats an earlier one.
  const rows = Array.from({ length: 5_000 }, (_, index) =>
    index % 10 === 3 ? 'wrong,X' : `i${index % 7 === 0 ? Math.floor(index / 2) : index}@example.com,"N, ${index}"`,
  );
  const emails = new Set(rows.flatMap((row) => (row.startsWith('wrong') ? [] : [row.split(',')[0]])));
  const first = await service.start();
  const { data: job, status } = await service.post('/v2/contacts/imports', `email,first_name\n${rows.join('\n')}\n`, 'text/csv');
  assert.equal(status, 202);
  await service.kill(first);
  for (const nth of [1, 2, 1, 3]) await (await service.startDying(nth)).gone();
  await service.start();
  const done = await eventually(async () => {
    const { data } = await service.get(`/v2/contacts/imports/${job.id}`);
    return data?.status === 'completed' && data;
  });
  assert.deepEqual([done.rows.read, done.rows.failed, done.rows.created], [5_000, 500, emails.size]);
  assert.equal(done.rows.created + done.rows.updated + done.rows.unchanged, 4_500);
  assert.deepEqual([await count(service), await service.published(ContactCreated.subject)], [emails.size, emails.size]);
  assert.equal(await service.published(ImportCompleted.subject), 1);
  const errors = (await service.get(done.errors_url)).text.trim().split('\n').slice(1);
  assert.deepEqual(
    errors.map((line) => Number(line.split(',')[0])),
    rows.flatMap((row, index) => (row.startsWith('wrong') ? [index + 1] : [])),
  );
});

test('after repeated kills, a bulk job resumes where it stopped and processes each contact once', async (t) => {
  const service = await startServiceProcess(t, 'contacts', await testInfra());
  const first = await service.start();
  const contacts = Array.from({ length: 1_000 }, (_, index) => ({ email: `k${index}@example.com`, tags: index % 4 === 0 ? ['vip'] : [] }));
  await service.post('/v2/contacts/batch', { contacts });
  const { data: job, status } = await service.post('/v2/contacts/bulk', { select: { filter: {} }, action: 'add_tag', tag: 'vip' });
  assert.equal(status, 202);
  await service.kill(first);
  for (const nth of [1, 2, 1, 3]) await (await service.startDying(nth)).gone();
  await service.start();
  const done = await eventually(async () => {
    const { data } = await service.get(`/v2/contacts/bulk/${job.id}`);
    return data?.status === 'completed' && data;
  });
  assert.deepEqual(done.rows, { selected: 1_000, changed: 750, unchanged: 250, failed: 0 });
  const results = (await service.get(done.results_url)).text.trim().split('\n').slice(1);
  assert.equal(new Set(results.map((line) => line.split(',')[0])).size, 1_000);
  assert.equal(results.length, 1_000);
  assert.equal(await service.published(ContactUpdated.subject), 750);
});

test('after a kill during merges and undos, each pair is either one contact or two', async (t) => {
  const service = await startServiceProcess(t, 'contacts', await testInfra());
  let child = await service.start();
  const pairs: { id: string; source: string }[] = [];
  for (let index = 0; index < 12; index += 1) {
    const [one, two] = await Promise.all(['a', 'b'].map((side) => service.post('/v2/contacts', { email: `${side}${index}@example.com` })));
    pairs.push({ id: one?.data.id, source: two?.data.id });
  }
  const merge = ({ id, source }: { id: string; source: string }) => service.post(`/v2/contacts/${id}/merge`, { source_id: source });
  /** Kills the service after the n-th of four concurrent requests. */
  async function dieAmong(nth: number, work: () => Promise<unknown>) {
    await service.kill(child);
    const dying = await service.startDying(nth);
    const working = work();
    await dying.gone();
    await working;
    child = await service.start();
  }
  for (const round of [0, 1, 2]) await dieAmong(round + 1, () => Promise.all(pairs.slice(round * 4, round * 4 + 4).map(merge)));
  // Uncommitted transactions of a killed service lock their rows until MongoDB aborts them, after a minute.
  const settled = (attempt: () => ReturnType<Service['post']>) =>
    eventually(async () => {
      const response = await attempt();
      return response.status !== 503 && response;
    });
  for (const pair of pairs) {
    const [{ data: one }, { data: other }] = [
      await service.get(`/v2/contacts/${pair.id}`),
      await service.get(`/v2/contacts/${pair.source}`),
    ];
    const retried = await settled(() => merge(pair));
    assert.equal(retried.status, other.id === one.id ? 409 : 200, 'a retry finds it done, or does it');
    assert.equal((await service.get(`/v2/contacts/${pair.source}`)).data.id, pair.id);
  }
  assert.deepEqual([await service.published(ContactMerged.subject), await service.published(ContactDeleted.subject)], [12, 12]);

  const undo = async ({ id }: { id: string }) => {
    const { data } = await service.get(`/v2/contacts/${id}/merges`);
    return service.post(`/v2/contacts/${id}/merges/${data?.items[0]?.id}/undo`);
  };
  for (const round of [0, 1, 2]) await dieAmong(round + 1, () => Promise.all(pairs.slice(round * 4, round * 4 + 4).map(undo)));
  for (const pair of pairs) {
    const isApart = (await service.get(`/v2/contacts/${pair.source}`)).data.id === pair.source;
    assert.equal((await settled(() => undo(pair))).status, isApart ? 409 : 200, 'a retry finds it done, or does it');
    for (const id of [pair.id, pair.source]) assert.equal((await service.get(`/v2/contacts/${id}`)).data.id, id);
  }
  assert.deepEqual([await service.published(ContactUnmerged.subject), await count(service)], [12, 24]);
});

test('after a kill during an erasure, the erasure completes', async (t) => {
  const service = await startServiceProcess(t, 'contacts', await testInfra());
  const first = await service.start();
  const { data: contact } = await service.post('/v2/contacts', { email: 'secret@example.com', first_name: 'Verysecret' });
  await service.kill(first);
  const dying = await service.startDying(1);
  assert.equal((await service.post(`/v2/contacts/${contact.id}/erase`)).status, 0);
  await dying.gone();
  await service.start();
  assert.equal((await service.get(`/v2/contacts/${contact.id}`)).status, 404);
  assert.equal(await service.published(ContactErased.subject), 1);
  const { db } = service.parts.mongo;
  const erasure = await db.collection<{ _id: string }>('erasures').findOne({ account_id: service.accountId });
  const path = `/v2/contacts/erasures/${erasure?._id}`;
  await eventually(async () => (await service.get(path)).data.receipts.contacts !== null);
  for (const name of erasingServices) {
    const receipt = { erasure_id: String(erasure?._id), contact_id: contact.id, removed: {}, at: new Date().toISOString() };
    await publishEvent(service.parts, service.accountId, { event: receiptEvents[name], data: receipt });
  }
  await eventually(async () => (await service.get(path)).data.status === 'completed');
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray())
    for (const row of await db.collection(name).find().toArray()) assert.doesNotMatch(JSON.stringify(row), /Verysecret|secret@example/);
});

test('after repeated kills, an erasure removes all data of the contact', async (t) => {
  const service = await startServiceProcess(t, 'contacts', await testInfra());
  const { db } = service.parts.mongo;
  const first = await service.start();
  const create = async (email: string) => (await service.post('/v2/contacts', { email, first_name: 'Verysecret' })).data.id;
  const [id, twin] = [await create('secret@example.com'), await create('also@secret.example')];
  await service.put(`/v2/contacts/${id}/consent`, { email: { status: 'unsubscribed', evidence: { text: 'Verysecret' } } });
  await service.post(`/v2/contacts/${id}/merge`, { source_id: twin });
  const { data: file } = await service.post('/v2/contacts/exports', { format: 'ndjson' });
  await eventually(async () => (await service.get(`/v2/contacts/exports/${file.id}`)).data.status === 'completed');
  await service.kill(first);

  /** Skips the minute that the leases of a killed service last. */
  const aMinuteLater = async () => {
    for (const name of ['erasures', 'leftovers']) await db.collection(name).updateMany({}, { $set: { due_at: new Date(0) } });
  };
  const dying = await service.startDying(1, 'removal');
  const { status } = await service.post(`/v2/contacts/${id}/erase`);
  assert.ok([0, 202].includes(status), 'the response may be lost with the service');
  await dying.gone();
  for (const nth of [2, 3, 4, 5, 6]) {
    await aMinuteLater();
    await (await service.startDying(nth, 'removal')).gone();
  }
  const erasure = await db.collection<{ _id: string; receipts: object }>('erasures').findOne({ account_id: service.accountId });
  assert.deepEqual(erasure?.receipts, {}, 'nothing is confirmed before it is done');

  await aMinuteLater();
  const whole = await service.start();
  const path = `/v2/contacts/erasures/${erasure?._id}`;
  await eventually(async () => (await service.get(path)).data.receipts.contacts !== null);
  await service.kill(whole);
  for (const name of erasingServices) {
    const receipt = { erasure_id: String(erasure?._id), contact_id: id, removed: {}, at: new Date().toISOString() };
    await publishEvent(service.parts, service.accountId, { event: receiptEvents[name], data: receipt });
  }
  for (const nth of [1, 3]) {
    await aMinuteLater();
    await (await service.startDying(nth, 'stream')).gone();
  }
  await aMinuteLater();
  await service.start();
  await eventually(async () => (await service.get(path)).data.status === 'completed');
  for (const gone of [id, twin]) assert.equal((await service.get(`/v2/contacts/${gone}`)).status, 404);
  const left: string[] = [];
  const isSecret = (text: string) => /Verysecret|secret@example|secret\.example/.test(text);
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray())
    for (const row of await db.collection(name).find().toArray()) if (isSecret(JSON.stringify(row))) left.push(name);
  for (const stream of Object.values(streams))
    await service.parts.broker.eraseFrom(stream, (subject, payload) => {
      if (isSecret(payload)) left.push(subject);
      return false;
    });
  assert.deepEqual(left, []);
});
