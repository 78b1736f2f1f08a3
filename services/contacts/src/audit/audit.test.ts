import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactsAudited } from '@mp/contracts/events/contacts';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { createContact } from '../../test/contacts.ts';
import { endOfJob } from '../../test/jobs.ts';
import { buildApp } from '../app.ts';

test('exports, deletions and erasures of contacts are published for the audit log', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });

  async function setting() {
    const account = testClient(app, { principal_id: newId('user') });
    const written = () => writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: ContactsAudited.subject });
    const entries = async () => (await written()).map(({ envelope }) => envelope.data);
    return { account, written, entries };
  }

  for (const [caller, principal] of [
    ['a user', { principal_id: newId('user') }],
    ['an API key', { principal_id: newId('key'), created_by: newId('user') }],
    ['an application that a user has connected', { principal_id: newId('client'), created_by: newId('user') }],
  ] as const)
    await t.test(`with who did it: ${caller}`, async () => {
      const { account, entries, written } = await setting();
      const client = account.as(principal);
      const [ada, bo] = [
        await createContact(account, { email: 'ada@example.com' }),
        await createContact(account, { email: 'bo@example.com' }),
      ];
      await client.delete(`/v2/contacts/${ada.id}`);
      await client.post(`/v2/contacts/${ada.id}/restore`);
      const { data: erasure } = await client.post(`/v2/contacts/${bo.id}/erase`);
      const { data: created } = await client.post('/v2/contacts/exports');
      const job = await endOfJob(client, `/v2/contacts/exports/${created.id}`);
      await client.get(job.download_url);
      const actor_id = principal.principal_id;
      const behind = 'created_by' in principal && { on_behalf_of: principal.created_by };
      assert.deepEqual(await entries(), [
        { actor_id, action: 'contact.deleted', target_id: ada.id, details: { ...behind } },
        { actor_id, action: 'contact.restored', target_id: ada.id, details: { ...behind } },
        { actor_id, action: 'contact.erased', target_id: bo.id, details: { erasure_id: erasure.id, ...behind } },
        { actor_id, action: 'contact_export.created', target_id: job.id, details: { selection: 'all', evidence: false, ...behind } },
        { actor_id, action: 'contact_export.downloaded', target_id: job.id, details: { rows: 1, ...behind } },
      ]);
      for (const { envelope } of await written()) assert.match(envelope.correlation_id, /^req_/);
    });

  await t.test('with which contacts, but without what a rule or filter says', async () => {
    const { account, entries } = await setting();
    const { id } = await createContact(account, { email: 'ada@example.com' });
    const rule = { field: 'email', op: 'eq', value: 'ada@example.com' };
    for (const select of [{ rule }, { filter: { email: 'ada@example.com' } }, { ids: [id] }])
      await account.post('/v2/contacts/exports', { select });
    await account.post('/v2/contacts/exports', { rule });
    const found = await entries();
    assert.deepEqual(
      found.map(({ details: { evidence: _, ...selection } }) => selection),
      [{ selection: 'rule' }, { selection: 'filter' }, { selection: 'ids', contacts: 1 }, { selection: 'rule' }],
    );
    assert.doesNotMatch(JSON.stringify(found), /ada@/);
  });

  await t.test('a bulk deletion when it begins and, with the number, when it ends', async () => {
    const { account, entries } = await setting();
    for (const name of ['ada', 'bo', 'cy']) await createContact(account, { email: `${name}@example.com` });
    const run = async (body: object) => {
      const { data } = await account.post('/v2/contacts/bulk', { select: { filter: {} }, ...body });
      return endOfJob(account, `/v2/contacts/bulk/${data.id}`);
    };
    await run({ action: 'add_tag', tag: 'x' });
    await run({ action: 'delete', dry_run: true });
    assert.deepEqual(await entries(), [], 'nothing was deleted');
    const job = await run({ action: 'delete' });
    assert.deepEqual(
      (await entries()).map(({ action, target_id, details }) => [action, target_id, details]),
      [
        ['bulk_deletion.created', job.id, { selection: 'filter' }],
        ['bulk_deletion.ended', job.id, { status: 'completed', deleted: 3 }],
      ],
    );
  });

  await t.test('nothing that failed', async () => {
    const { account, entries } = await setting();
    const unknown = newId('contact');
    assert.equal((await account.delete(`/v2/contacts/${unknown}`)).status, 404);
    assert.equal((await account.post(`/v2/contacts/${unknown}/erase`)).status, 404);
    assert.equal((await account.get(`/v2/contacts/exports/${newId('export')}/file`)).status, 404);
    assert.deepEqual(await entries(), []);
  });
});
