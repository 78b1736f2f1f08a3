import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { noneSuspended } from '@mp/service-kit/suspensions';
import { testParts } from '@mp/test-kit/test-parts';
import { createImportsStore } from './imports-store.ts';

test('only the process that holds an import can finish it, but any process can cancel it', async (t) => {
  const { mongo, cursors } = await testParts(t, 'contacts');
  const imports = createImportsStore(mongo.db, cursors);
  await imports.prepare();
  const accountId = newId('account');
  const within = <Result>(work: (tx: Parameters<typeof imports.finish>[0]) => Promise<Result>) =>
    mongo.transaction({ correlationId: 'test', causationId: null }, work);

  async function claimedTwice() {
    const id = await imports.begin(accountId, {
      format: 'ndjson',
      match_on: 'email',
      change_identifiers: false,
      default_consent: null,
      dry_run: false,
      start_workflows: true,
      add_to_segment_id: null,
    });
    await imports.queue(id, { bytes: 1, header: null, targets: null, unmatched: [], delimiter: ',', offset: 0 });
    const stale = await imports.claim(noneSuspended);
    const holder = await imports.claim(noneSuspended, new Date(Date.now() + 60_000));
    assert.ok(stale && holder && stale.id === id && holder.id === id);
    return { stale, holder };
  }

  const { stale, holder } = await claimedTwice();
  for (const status of ['failed', 'completed'] as const)
    assert.equal(await within((tx) => imports.finish(tx, stale, status)), undefined, 'it no longer holds the import');
  assert.equal((await imports.get(accountId, holder.id)).status, 'running');
  assert.equal((await within((tx) => imports.finish(tx, holder, 'completed')))?.status, 'completed');
  assert.equal(await within((tx) => imports.cancel(tx, holder.id)), undefined, 'the import has ended');

  const other = (await claimedTwice()).holder;
  assert.equal((await within((tx) => imports.cancel(tx, other.id)))?.status, 'cancelled');
  assert.equal(await within((tx) => imports.finish(tx, other, 'completed')), undefined);
});

test('the process that holds an import can read how often it failed since it last made progress', async (t) => {
  const { mongo, cursors } = await testParts(t, 'contacts');
  const imports = createImportsStore(mongo.db, cursors);
  await imports.prepare();
  const id = await imports.begin(newId('account'), {
    format: 'ndjson',
    match_on: 'email',
    change_identifiers: false,
    default_consent: null,
    dry_run: false,
    start_workflows: true,
    add_to_segment_id: null,
  });
  await imports.queue(id, { bytes: 1, header: null, targets: null, unmatched: [], delimiter: ',', offset: 0 });
  const first = await imports.claim(noneSuspended);
  assert.ok(first);
  await imports.release(first, 1);
  const job = await imports.claim(noneSuspended, new Date(Date.now() + 1_000));
  assert.ok(job);
  assert.equal(await imports.attemptsOf(job), 1);
  await mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => imports.advance(tx, job, { offset: 1, rows: job.rows }));
  assert.equal(await imports.attemptsOf(job), 0);
  assert.equal(await imports.attemptsOf(first), undefined, 'another process has taken it');
});
