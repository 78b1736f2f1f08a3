import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { linkKeys, routesOnly } from '../../test/setting.ts';
import { signLink } from '../content/links/link-token.ts';
import { newRecipient } from '../ledger/recipients/recipient-row.ts';
import { createRecipientsStore } from '../ledger/recipients/recipients-store.ts';

test('a link whose target is not valid in a header returns a regular INTERNAL_ERROR', async (t) => {
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  const source = { account_id: newId('account'), source: 'workflow', source_id: newId('workflow'), source_key: 'run:1' } as const;
  const row = newRecipient({ ...source, content_id: 'content', contact_id: newId('contact') }, false, new Date());
  const recipients = createRecipientsStore(parts.mongo.db, parts.cursors);
  await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
    recipients.insert(tx, [{ ...row, state: 'sent', links: { 0: 'https://example.com/日本' } }]),
  );
  const token = signLink(linkKeys, { purpose: 'click', accountId: row.account_id, recipientId: row._id, number: 0 });
  const { statusCode, headers, payload } = await app.inject({ method: 'GET', url: `/t/${token}` });
  assert.equal(statusCode, 500);
  assert.match(String(headers['content-type']), /application\/json/);
  const { success, error } = JSON.parse(payload);
  assert.deepEqual([success, error.code, typeof error.request_id], [false, 'INTERNAL_ERROR', 'string']);
  assert.ok(!payload.includes('ERR_'), payload);
});
