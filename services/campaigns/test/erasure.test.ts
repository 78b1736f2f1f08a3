import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suppressionHash } from '@mp/contracts/contact';
import { CampaignsContactErased, MessageBounced } from '@mp/contracts/events/campaigns';
import { ContactErased, SuppressionRemoved } from '@mp/contracts/events/contacts';
import { eventually } from '@mp/test-kit/eventually';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { writtenEvents } from '@mp/test-kit/written-events';
import { account, reconciliation, sendCampaign, startSetting, untilStatus } from './setting.ts';

test('erasures and removed suppressions', async (t) => {
  const { app, parts, neighbours, sink } = await startSetting(t);
  const events = await listenToEvents(t);
  const owner = account(app);
  const [ada] = neighbours.contacts(owner.accountId, 1, () => ({ email: 'ada@example.com', first_name: 'Lovelace' }));
  assert.ok(ada);

  await t.test('erasing a contact removes all its personal data and keeps every sum', async () => {
    const html = '<a href="https://example.com/{{ contact.first_name }}">Hi</a>';
    const id = await sendCampaign(owner, { html });
    await untilStatus(owner, id, 'sent');
    const open = /src="http:\/\/mail\.test(\/t\/o[^"]+)"/.exec((await sink.mailTo('ada@example.com'))?.html ?? '')?.[1] ?? '';
    await app.inject({ method: 'GET', url: open, headers: { 'user-agent': 'Ada-Browser' } });
    await parts.mongo.transaction({ correlationId: 'req_12345678', causationId: null }, (tx) =>
      parts.outbox.add(tx, MessageBounced, owner.accountId, {
        ...{ recipient_id: 'recipient_1', contact_id: ada.id, campaign_id: id, workflow_id: null, at: new Date().toISOString() },
        ...{ hard: false, reason: '452 mailbox of ada@example.com is full' },
      }),
    );
    await neighbours.remove(owner.accountId, ada);
    const erased = { erasure_id: 'erasure_1', contact_id: ada.id, merged_ids: [], revision: ada.revision + 1 };
    await neighbours.publish(ContactErased, owner.accountId, erased);
    const receipt = await events.next(CampaignsContactErased, ({ data }) => data.contact_id === ada.id);
    assert.deepEqual(receipt.data.removed, { contactables: 1, recipients: 1, engagements: 1, events: 1 });
    for (const name of ['contactables', 'recipients', 'engagements', 'suppressions', 'counters']) {
      const left = JSON.stringify(await parts.mongo.db.collection(name).find({ account_id: owner.accountId }).toArray());
      assert.ok(!/ada@example\.com|Lovelace|Ada-Browser/i.test(left), `${name}: ${left}`);
    }
    const told = await writtenEvents(parts.mongo.db, { accountId: owner.accountId });
    assert.doesNotMatch(JSON.stringify(told), /ada@example\.com/);
    assert.deepEqual([(await reconciliation(owner, id)).reconciles, (await reconciliation(owner, id)).states.delivered], [true, 1]);
  });

  await t.test('a bounced address is emailed again once its suppression is removed', async () => {
    const [bo] = neighbours.contacts(owner.accountId, 1, () => ({ email: 'bo@exämple.com' }));
    assert.ok(bo);
    sink.behave(() => ({ rcpt: 550 }));
    const reason = async (id: string) => (await owner.get(`/v2/campaigns/${id}/messages/${bo.id}`)).data.recipient?.reason;
    const first = await sendCampaign(owner);
    await untilStatus(owner, first, 'sent');
    assert.equal(await reason(first), 'bad_address');
    const second = await sendCampaign(owner);
    await untilStatus(owner, second, 'sent');
    assert.equal(await reason(second), 'bounced_before');
    sink.behave(() => 'take');
    await neighbours.publish(SuppressionRemoved, owner.accountId, {
      suppression_id: 's1',
      kind: 'email',
      value: 'bo@exämple.com',
      hash: suppressionHash(owner.accountId, 'email', 'bo@exämple.com'),
      reason: 'hard_bounce',
      at: new Date().toISOString(),
    });
    await eventually(async () => (await parts.mongo.db.collection('suppressions').countDocuments({ account_id: owner.accountId })) === 0);
    const third = await sendCampaign(owner);
    await untilStatus(owner, third, 'sent');
    assert.equal(await reason(third), null);
    assert.match(sink.received.at(-1)?.raw.toString() ?? '', /^To: bo@xn--exmple-cua\.com\r$/m);
  });
});
