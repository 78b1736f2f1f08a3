import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CampaignsContactErased, MessageClicked } from '@mp/contracts/events/campaigns';
import { createErasuresStore } from '@mp/erasures/erasures-store';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { createEngagementsStore } from '../../ledger/engagements/engagements-store.ts';
import { createRecipientsStore } from '../../ledger/recipients/recipients-store.ts';
import { createAttachmentsStore } from '../../messages/attachments-store.ts';
import { createContentsStore } from '../../messages/contents-store.ts';
import { createEraser } from './eraser.ts';

test('an erasure aborted before its receipt reports everything it removed, once', async (t) => {
  const parts = await testParts(t, 'campaigns');
  const { mongo, outbox, logger } = parts;
  const erasures = createErasuresStore(mongo.db);
  const recipients = createRecipientsStore(mongo.db, parts.cursors);
  const engagements = createEngagementsStore(mongo.db);
  const attachments = createAttachmentsStore(mongo.db);
  const contents = createContentsStore(mongo.db);
  for (const store of [parts, erasures, recipients, engagements, attachments, contents]) await store.prepare();
  const origin = { correlationId: 'req_12345678', causationId: null };
  const [accountId, contactId, erasureId] = [newId('account'), newId('contact'), newId('erasure')];
  const row = async () => (await writtenEvents(mongo.db, { subject: CampaignsContactErased.subject })).at(0);
  await mongo.transaction(origin, async (tx) => {
    const message = { recipient_id: newId('recipient'), contact_id: contactId, campaign_id: null, workflow_id: null };
    const clicked = { ...message, at: new Date().toISOString(), url: 'https://example.com/?of=ada', machine: false };
    await outbox.add(tx, MessageClicked, accountId, clicked);
    await erasures.add(tx, { id: erasureId, accountId, contactId, contactIds: [contactId], correlationId: 'req_12345678' });
  });

  let transactions = 0;
  const breaking: typeof mongo.transaction = async (...args) => {
    transactions += 1;
    if (transactions > 1) return mongo.transaction(...args);
    assert.deepEqual(await writtenEvents(mongo.db, { subject: MessageClicked.subject }), [], 'the events are removed first');
    throw new Error('the process is killed here');
  };
  const deps = { mongo: { ...mongo, transaction: breaking }, recipients, engagements, attachments, contents, erasures, outbox, logger };
  const eraser = createEraser(deps);
  t.after(() => eraser.stop());
  eraser.start();
  const event = await eventually(async () => {
    eraser.wake();
    return (await row()) ?? false;
  });
  assert.deepEqual(event.envelope.data.removed, { contactables: 1, recipients: 0, engagements: 0, events: 1 });
  assert.equal(event.envelope.correlation_id, 'req_12345678');
  assert.deepEqual(await erasures.open(10, new Date(Date.now() + 120_000)), []);
});
