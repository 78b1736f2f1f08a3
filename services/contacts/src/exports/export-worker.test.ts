import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { noneSuspended } from '@mp/service-kit/suspensions';
import { aContact } from '@mp/test-kit/a-contact';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { createStores } from '../stores.ts';
import { createExportRunner } from './export-worker.ts';
import { createWithdrawExports } from './withdraw-exports.ts';

test('withdrawing an export while it is written', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { mongo, logger, outbox } = parts;
  const stores = createStores(parts);
  await stores.prepare();
  const { contacts, files, exports } = stores;
  const origin = { correlationId: 'test', causationId: null };
  const withdrawExports = createWithdrawExports({ exports, files });

  /** A runner that calls `meanwhile` between reading its first page and writing it. */
  function runnerWith(meanwhile: () => Promise<void>) {
    let isFirst = true;
    const pageById: typeof contacts.pageById = async (...args) => {
      const page = await contacts.pageById(...args);
      if (isFirst) {
        isFirst = false;
        await meanwhile();
      }
      return page;
    };
    return createExportRunner({
      mongo,
      logger,
      contacts: { ...contacts, pageById },
      consentLog: stores.consentLog,
      files,
      exports,
      outbox,
      readMembers: () => assert.fail(),
      selectContacts: () => assert.fail(),
      suspended: noneSuspended,
    });
  }

  async function setting() {
    const accountId = newId('account');
    const people = [aContact({ first_name: 'Ada' }), aContact({ first_name: 'Bo' })];
    const job = await mongo.transaction(origin, async (tx) => {
      const written = people.map((contact) => ({ contact, isNew: true }));
      await contacts.write(tx, accountId, written, false);
      return exports.add(tx, accountId, { format: 'ndjson', rule: null, attributes: [] });
    });
    const [ada, bo] = people;
    assert.ok(ada && bo);
    /** The downloaded file, once it is complete. */
    const whole = async () => {
      const { bytes } = await eventually(async () => {
        const now = await exports.get(accountId, job.id);
        return now.status === 'completed' && now;
      });
      const pieces: Buffer[] = [];
      for await (const piece of files.read(accountId, job.id, bytes)) pieces.push(piece);
      const text = Buffer.concat(pieces).toString();
      assert.equal(Buffer.byteLength(text), bytes);
      assert.equal((await mongo.db.collection('file_chunks').distinct('start', { file_id: job.id })).length, pieces.length);
      return text;
    };
    return { accountId, job, ada, bo, whole };
  }

  await t.test('an erased contact is not in a page read before, nor in an unlisted chunk', async () => {
    const { accountId, ada, bo, whole } = await setting();
    const runner = runnerWith(async () => {
      await mongo.transaction(origin, (tx) => contacts.remove(tx, accountId, ada.id));
      assert.equal(await withdrawExports(accountId, [ada.id]), 0);
    });
    t.after(() => runner.stop());
    runner.start();
    const text = await whole();
    await runner.stop();
    assert.ok(text.includes(bo.id) && !text.includes(ada.id), text);
    const rows = await mongo.db.collection('file_chunks').find({ account_id: accountId }).toArray();
    assert.ok(rows.every(({ bytes }) => !Buffer.from(bytes.buffer).includes(ada.id)));
  });

  await t.test('an export that already has the contact restarts once its chunks are removed', async () => {
    const { accountId, job, ada, bo, whole } = await setting();
    const claimed = await exports.claim(noneSuspended);
    assert.equal(claimed?.id, job.id);
    await mongo.transaction(origin, async (tx) => {
      const piece = Buffer.from(JSON.stringify(ada));
      assert.ok(await exports.advance(tx, claimed, { after: ada.id, bytes: piece.length, rows: 1 }));
      await files.putRows(tx, accountId, { fileId: job.id, start: 0, bytes: piece, contacts: [ada] });
    });
    await mongo.transaction(origin, (tx) => contacts.remove(tx, accountId, ada.id));
    assert.deepEqual(await files.withContacts(accountId, [bo.id]), []);
    assert.equal(await withdrawExports(accountId, [ada.id]), 1);
    await exports.release(claimed);
    assert.equal(
      await exports.claim(noneSuspended),
      undefined,
      'a process that lost the lease cannot release it before the chunks are removed',
    );
    await mongo.db.collection('exports').updateMany({}, { $set: { lease_until: new Date() } });
    const runner = runnerWith(async () => {});
    t.after(() => runner.stop());
    runner.start();
    const text = await whole();
    await runner.stop();
    assert.ok(text.includes(bo.id) && !text.includes(ada.id), text);
  });

  await t.test('does not overwrite what another process wrote in the meantime', async () => {
    const { accountId, job, ada, whole } = await setting();
    const other = runnerWith(async () => {});
    const runner = runnerWith(async () => {
      const longer = { ...ada, first_name: 'Ada Augusta', revision: 2 };
      await mongo.transaction(origin, (tx) => contacts.write(tx, accountId, [{ contact: longer, isNew: false }], false));
      await mongo.db.collection('exports').updateMany({}, { $set: { lease_until: new Date() } });
      other.start();
      await whole();
      await other.stop();
    });
    t.after(() => Promise.all([runner.stop(), other.stop()]));
    runner.start();
    await whole();
    await runner.stop();
    assert.match(await whole(), /Ada Augusta/, job.id);
  });
});

test('finding the exports that contain a contact', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { files, prepare } = createStores(parts);
  await prepare();
  const [accountId, other] = [newId('account'), newId('account')];
  const people = Array.from({ length: 40 }, () => aContact()).sort((a, b) => (a.id < b.id ? -1 : 1));
  const fileIds = [newId('export'), newId('export')];
  await parts.mongo.transaction({ correlationId: 'test', causationId: null }, async (tx) => {
    for (const [index, fileId] of fileIds.entries())
      for (let from = 0; from < 40; from += 10) {
        // The second has only every other contact.
        const rows = people.slice(from, from + 10).filter((_, at) => index === 0 || at % 2 === 0);
        await files.putRows(tx, accountId, {
          fileId,
          start: from,
          bytes: Buffer.from(rows.map(({ id }) => id).join('\n')),
          contacts: rows,
        });
      }
  });
  const [even, odd] = [people[12]?.id ?? assert.fail(), people[13]?.id ?? assert.fail()];
  assert.deepEqual((await files.withContacts(accountId, [even])).sort(), [...fileIds].sort());
  assert.deepEqual(await files.withContacts(accountId, [odd, newId('contact')]), fileIds.slice(0, 1));
  assert.deepEqual(await files.withContacts(other, [even]), []);

  const { db } = parts.mongo;
  const around = { account_id: accountId, last_contact: { $gte: even }, first_contact: { $lte: even } };
  const { executionStats } = await db.collection('file_chunks').find(around).hint('contacts').explain('executionStats');
  assert.equal(executionStats.totalDocsExamined, 2, 'reads one chunk of each export');
});
