import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalOf } from '@mp/contracts/journal';
import { newId, trustedId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import { storedRun } from '../../test/stored-run.ts';
import { createApplyJournal } from './apply-journal.ts';
import { createDeliveredStore } from './delivered-store.ts';

const restoredAt = new Date('2026-05-02T10:00:00.000Z');

test('a delivery from before a restore', async (t) => {
  const { mongo } = await testParts(t, 'workflows');
  const delivered = createDeliveredStore(mongo.db);
  await delivered.prepare();
  /** The sequence of each run in the backup. */
  const backup = new Map([['run_kept', 3]]);
  const runs = {
    findOne: async (_: string, id: string) => {
      const sequence = backup.get(id);
      return sequence === undefined ? undefined : { ...storedRun({}), id: trustedId<'run'>(id), sequence };
    },
  };
  const apply = createApplyJournal({ runs, delivered, applyDelivered: async () => 0, clock: () => restoredAt });
  const entry = (account: string, effect_key: string, change: Partial<JournalOf<'effect'>> = {}): JournalOf<'effect'> => ({
    ...{ kind: 'effect', account_id: trustedId<'account'>(account), at: '2026-05-02T09:00:00.000Z', type: 'webhook', effect_key },
    ...{
      run_id: trustedId<'run'>(effect_key.split(':')[0] ?? ''),
      workflow_id: trustedId<'workflow'>('workflow_1'),
      contact_id: trustedId<'contact'>('contact_1'),
      step: 'hook',
      ...change,
    },
  });
  async function* journal(...entries: JournalOf<'effect'>[]) {
    yield* entries;
  }
  const run = (account: string, id: string, created_at = '2026-05-01T10:00:00.000Z') => ({
    ...{ ...storedRun({}), account_id: trustedId<'account'>(account), id: trustedId<'run'>(id), created_at: new Date(created_at) },
  });

  await t.test('accounts for one effect of its run at that step, with the same result each time', async () => {
    assert.deepEqual(await apply(journal(entry('a', 'run_kept:5'))), { webhooks: 1, messages: 0, deliveries: 0 });
    const take = (key: string, step = 'hook') => delivered.take(run('a', 'run_kept'), step, key);
    assert.equal(await take('run_kept:4', 'other'), undefined);
    assert.ok(await take('run_kept:4'), 'although the run took another path');
    assert.ok(await take('run_kept:4'));
    assert.equal(await take('run_kept:9'), undefined);
    assert.equal(await delivered.take(run('b', 'run_kept'), 'hook', 'run_kept:4'), undefined, "another account's");
  });

  await t.test('is not recorded when the backup already contains it', async () => {
    const known = [entry('c', 'run_kept:2'), entry('c', 'run_kept:3', { type: 'send' })];
    assert.deepEqual(await apply(journal(...known)), { webhooks: 0, messages: 0, deliveries: 0 });
    assert.deepEqual(
      await apply(journal(entry('c', 'run_kept:3'))),
      { webhooks: 1, messages: 0, deliveries: 0 },
      'the run still waits for the response',
    );
  });

  await t.test('of a lost run counts for the run that replaces it, not for later runs', async () => {
    await apply(journal(entry('d', 'run_lost:1'), entry('d', 'run_lost:2')));
    assert.equal(await delivered.take(run('d', 'run_later', '2026-05-02T10:00:01.000Z'), 'hook', 'run_later:1'), undefined);
    assert.ok(await delivered.take(run('d', 'run_again', '2026-05-02T09:59:00.000Z'), 'hook', 'run_again:1'));
    assert.equal(await delivered.take({ ...run('d', 'run_other'), contact_id: newId('contact') }, 'hook', 'run_other:1'), undefined);
  });

  await t.test('is recorded only once', async () => {
    const twice = () => apply(journal(entry('e', 'run_kept:7', { type: 'send' })));
    assert.deepEqual(
      [await twice(), await twice()],
      [
        { webhooks: 0, messages: 1, deliveries: 0 },
        { webhooks: 0, messages: 0, deliveries: 0 },
      ],
    );
  });

  await t.test('is deleted with the contact', async () => {
    await apply(journal(entry('f', 'run_kept:8')));
    await mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
      delivered.erase(tx, trustedId<'account'>('f'), [trustedId<'contact'>('contact_1')]),
    );
    assert.equal(await delivered.take(run('f', 'run_kept'), 'hook', 'run_kept:8'), undefined);
  });
});
