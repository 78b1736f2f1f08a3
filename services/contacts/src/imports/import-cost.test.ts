import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noneSuspended } from '@mp/service-kit/suspensions';
import { testClient } from '@mp/test-kit/client';
import { countCommands } from '@mp/test-kit/count-commands';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../app.ts';
import { createLoadContext } from '../contacts/account-context.ts';
import { createSaveContacts } from '../contacts/save-contacts.ts';
import { createUpsertContacts } from '../contacts/upsert-contacts.ts';
import { createStores } from '../stores.ts';
import { createImportRunner } from './import-worker.ts';

const chunks = 6;

test('an import writes 500 new contacts in one transaction with a few commands', async (t) => {
  const parts = await testParts(t, 'contacts', { monitorCommands: true });
  // Looks without being counted.
  const { mongo: other } = await testParts(t, 'contacts', { database: parts.mongo.db.databaseName });
  const { app } = await testService(t, parts, buildApp);
  const stores = createStores(parts);
  const loadContext = createLoadContext(stores);
  const { save: saveContacts } = createSaveContacts({ ...stores, outbox: parts.outbox });
  const { upsertChunk } = createUpsertContacts({ ...parts, ...stores, loadContext, saveContacts });
  const addMembers = () => Promise.reject(new Error('The import has no segment.'));
  const importer = createImportRunner({ ...parts, ...stores, upsertChunk, addMembers, suspended: noneSuspended });

  const account = testClient(app);
  const rows = Array.from({ length: 500 * chunks }, (_, index) => `c${index}@example.com,${index}`);
  const file = ['email,attributes.score:number', ...rows].join('\n');
  const { status, text } = await account.post('/v2/contacts/imports?default_consent=subscribed', file, { 'content-type': 'text/csv' });
  assert.equal(status, 202, text);
  const sent = await countCommands(parts.mongo, async () => {
    importer.start();
    await eventually(async () => (await other.db.collection('imports').countDocuments({ status: 'completed' })) === 1);
    await importer.stop();
  });
  assert.equal(await other.db.collection('contacts').countDocuments(), rows.length);
  const each = { commands: sent.commands / chunks, commits: sent.commits / chunks, documents: sent.documents / chunks };
  t.diagnostic(JSON.stringify(each));
  assert.ok(each.commits <= 1.5 && each.commands <= 16 && each.documents <= 530, JSON.stringify(each));
});
