import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuditEntryCreated } from '@mp/contracts/events/platform';
import { newId } from '@mp/ids';
import { writtenEvents } from '@mp/test-kit/written-events';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { entryHash } from './audit-chain.ts';
import type { AuditRow } from './audit-row.ts';
import { deleteOldEntries } from './delete-old-entries.ts';

const dayMs = 24 * 60 * 60 * 1_000;

test('the audit log', async (t) => {
  const gateway = await startTestGateway(t);
  const { parts, stores } = gateway;
  const rows = parts.mongo.db.collection<AuditRow>('audit_log');
  async function accountWith(changes: number) {
    const account = await gateway.makeAccount();
    const key = await gateway.makeKey({ account, permission: 'admin' });
    const send = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => gateway.send(method, path, body, { key });
    for (let change = 0; change < changes; change += 1)
      assert.equal((await send('POST', '/v2/settings/api-keys', { name: `=Key ${change}`, permission: 'read_only' })).status, 201);
    const verified = async () => (await send('GET', '/v2/settings/audit-log/verification')).body.data;
    return { account, own: { account_id: account.id }, send, verified };
  }

  await t.test('gives each entry the hash of the one before, which anybody can compute from the export', async () => {
    const { account, send, verified } = await accountWith(5);
    const { text } = await send('GET', '/v2/settings/audit-log/export?format=ndjson');
    const entries = String(text)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.ok(entries.length >= 5);
    let previous: string | null = null;
    for (const [index, { id, created_at, ...entry }] of entries.entries()) {
      assert.equal(entry.sequence, index + 1);
      assert.equal(entry.hash, entryHash(previous, { _id: id, account_id: account.id, created_at: new Date(created_at), ...entry }));
      previous = entry.hash;
    }
    const { is_intact, head, broken } = await verified();
    assert.deepEqual([is_intact, head, broken], [true, { sequence: entries.length, hash: previous }, null]);
  });

  await t.test('shows that an entry was changed, removed or inserted', async () => {
    for (const [tamper, expected] of [
      [async (one: AuditRow) => rows.updateOne({ _id: one._id }, { $set: { actor_id: 'user_x' } }), 'changed'],
      [async (one: AuditRow) => rows.updateOne({ _id: one._id }, { $set: { 'details.name': 'x' } }), 'changed'],
      [async (one: AuditRow) => rows.deleteOne({ _id: one._id }), 'missing'],
    ] as const) {
      const { own, verified } = await accountWith(4);
      const chosen = await rows.findOne({ ...own, sequence: 2 });
      assert.ok(chosen);
      await tamper(chosen);
      assert.deepEqual((await verified()).broken, { sequence: 2, problem: expected });
    }
    const { own, verified } = await accountWith(4);
    const newest = await rows.findOne(own, { sort: { sequence: -1 } });
    assert.ok(newest?.sequence);
    await rows.deleteOne({ _id: newest._id });
    assert.deepEqual((await verified()).broken, { sequence: newest.sequence, problem: 'missing' }, 'the newest entry');

    for (const [insertion, sequence] of [
      [{}, null],
      [{ sequence: 0 }, null],
      [{ sequence: 99 }, 99],
    ] as const) {
      const { own, send, verified } = await accountWith(2);
      const { _id, sequence: _, hash, ...one } = (await rows.findOne(own)) ?? assert.fail();
      await rows.insertOne({ ...one, _id: newId('audit'), created_at: new Date(0), ...insertion });
      assert.deepEqual((await verified()).broken, { sequence, problem: 'inserted' });
      await send('POST', '/v2/settings/api-keys', { name: 'Later', permission: 'read_only' });
      assert.deepEqual((await verified()).broken, { sequence, problem: 'inserted' });
    }
  });

  await t.test('tells entries of version 0.1.0, which are not part of the chain, from inserted ones', async () => {
    const account = await gateway.makeAccount();
    const row = (days: number) => {
      const change = { action: 'account.changed', target_id: account.id, actor_id: null, request_id: 'req_1' } as const;
      return { _id: newId('audit'), account_id: account.id, ...change, created_at: new Date(Date.now() - days * dayMs) };
    };
    await rows.insertMany([row(90), row(50)]);
    const add = () =>
      parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
        stores.auditLog.add(tx, { accountId: account.id, id: null }, { action: 'account.changed', target_id: account.id }),
      );
    await add();
    const { auditLog } = stores;
    const broken = async () => (await auditLog.verify(account.id)).broken;
    const deleteBefore = (days: number) =>
      parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
        auditLog.deleteBefore(tx, account.id, new Date(Date.now() - days * dayMs), 10),
      );
    assert.equal(await broken(), undefined);
    await deleteBefore(60);
    assert.equal(await broken(), undefined);
    await rows.deleteOne({ account_id: account.id, sequence: { $exists: false } });
    assert.deepEqual(await broken(), { sequence: null, problem: 'missing' });
    await rows.insertOne(row(50));
    await deleteBefore(-1);
    await add();
    assert.equal(await broken(), undefined);
    await rows.insertOne({ ...row(0), sequence: 1 });
    assert.deepEqual(await broken(), { sequence: null, problem: 'inserted' }, 'in the place of one that was deleted by age');
  });

  await t.test('is one chain although changes happen at the same time, and each account has its own', async () => {
    const [one, other] = [await accountWith(1), await accountWith(1)];
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, index) => one.send('POST', '/v2/settings/api-keys', { name: `K${index}`, permission: 'read_only' })),
    );
    assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]));
    const [first, second] = [await one.verified(), await other.verified()];
    assert.deepEqual([first.is_intact, second.is_intact, first.entries - second.entries], [true, true, 12]);
  });

  await t.test('publishes each entry in the transaction that adds it, without the secrets that the change made', async () => {
    const { account, own, send } = await accountWith(0);
    const { key } = (await send('POST', '/v2/settings/api-keys', { name: 'K', permission: 'read_only' })).body.data;
    const { client_secret } = (await send('POST', '/v2/settings/oauth-clients', { name: 'C', permission: 'read_only' })).body.data;
    const { invitation_url } = (await send('POST', '/v2/settings/users', { email: 'ada@example.com', role: 'viewer' })).body.data;
    // The chain is locked and nothing is added, so nothing is published.
    await assert.rejects(
      parts.mongo.transaction({ correlationId: 'test', causationId: null }, async (tx) => {
        await stores.auditLog.add(tx, { accountId: account.id, id: null }, { action: 'account.changed', target_id: account.id });
        throw new Error('the change failed');
      }),
    );
    const written = (await writtenEvents(parts.mongo.db, { accountId: account.id })).map(({ envelope }) => envelope);
    const published = written.flatMap(({ type, data }) => (type === AuditEntryCreated.type ? AuditEntryCreated.data.parse(data) : []));
    const kept = await rows.find(own).sort({ sequence: 1 }).toArray();
    assert.deepEqual(
      published.map(({ id, action, sequence, hash }) => [id, action, sequence, hash]),
      kept.map(({ _id, action, sequence, hash }) => [_id, action, sequence, hash]),
    );
    assert.ok(kept.length >= 3);
    const token = new URLSearchParams(new URL(invitation_url).hash.slice(1)).get('token');
    for (const secret of [key, client_secret, token]) {
      assert.ok(typeof secret === 'string' && secret.length > 20);
      assert.ok(!JSON.stringify(published).includes(secret));
    }
  });

  await t.test('keeps entries as long as the account says, and stays verifiable', async () => {
    const { account, own, send, verified } = await accountWith(6);
    assert.equal((await send('PUT', '/v2/settings/account', { audit_retention_days: 29 })).status, 400);
    const { status, body } = await send('PUT', '/v2/settings/account', { audit_retention_days: 30 });
    assert.deepEqual([status, body.data.audit_retention_days], [200, 30]);
    const before = await rows.countDocuments(own);
    const later = (days: number) => new Date(Date.now() + days * dayMs);
    await deleteOldEntries({ ...parts, ...stores }, later(29));
    assert.equal(await rows.countDocuments(own), before);
    await deleteOldEntries({ ...parts, ...stores }, later(31));
    assert.equal(await rows.countDocuments(own), 0);
    assert.equal((await send('PUT', '/v2/settings/account', { audit_retention_days: null })).body.data.audit_retention_days, null);
    const { is_intact, entries, head } = await verified();
    assert.deepEqual([is_intact, entries, head.sequence], [true, 1, before + 1]);
    assert.ok(await stores.accounts.find(account.id));
  });

  await t.test('is exported as CSV in which no cell is a formula, and never to another account', async () => {
    const [one, other] = [await accountWith(1), await accountWith(0)];
    const { text: csv } = await one.send('GET', '/v2/settings/audit-log/export');
    assert.match(csv, /^id,action,actor_id,target_id,details,request_id,created_at,sequence,hash\n/);
    assert.ok(!/(^|,)[=+@-]/m.test(csv), csv);
    const { text } = await other.send('GET', '/v2/settings/audit-log/export?action=api_key.created');
    assert.equal(text.trimEnd().split('\n').length, 1);
  });
});
