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
    const published = await writtenEvents(parts.mongo.db, { accountId: owner.accountId });
    assert.doesNotMatch(JSON.stringify(published), /ada@example\.com/);
    assert.deepEqual([(await reconciliation(owner, id)).reconciles, (await reconciliation(owner, id)).states.delivered], [true, 1]);
  });

  await t.test('the content, data and attachments of messages are removed, except what others share', async () => {
    const shop = account(app);
    const [zoe, max] = neighbours.contacts(shop.accountId, 2, (index) => ({ email: `${['zoe', 'max'][index]}@example.com` }));
    assert.ok(zoe && max);
    const file = (text: string) => ({ filename: 'a.txt', content_type: 'text/plain', content: Buffer.from(text).toString('base64') });
    const template = await shop.post('/v2/campaigns/templates', { name: 'Receipt', subject: 'Your receipt', text: 'Hi' });
    const send = async (to: object, subject: string | null, texts: string[]) => {
      const content = subject === null ? { template_id: template.data.id } : { content: { subject, text: 'Hi' } };
      const body = { from: { email: 'shop@example.com' }, to, ...content, data: { name: 'Zoe' }, attachments: texts.map(file) };
      const { data } = await shop.post('/v2/campaigns/messages', body);
      await eventually(async () => (await shop.get(`/v2/campaigns/messages/${data.id}`)).data.state === 'sent');
      return data.id;
    };
    const own = await send({ email: 'zoe@example.com' }, 'Dear Zoe', ['terms', 'of Zoe']);
    await send({ contact_id: zoe.id }, 'Hello', ['terms']);
    await send({ contact_id: max.id }, 'Hello', ['terms']);
    await send({ contact_id: zoe.id }, null, []);
    await neighbours.remove(shop.accountId, zoe);
    const erased = { erasure_id: 'erasure_2', contact_id: zoe.id, merged_ids: [], revision: zoe.revision + 1 };
    await neighbours.publish(ContactErased, shop.accountId, erased);
    await events.next(CampaignsContactErased, ({ data }) => data.contact_id === zoe.id);
    const { data } = await shop.get(`/v2/campaigns/messages/${own}`);
    assert.deepEqual([data.state, data.to.email, data.data, data.attachments], ['sent', null, null, []]);
    const all = (name: string) => parts.mongo.db.collection(name).find({ account_id: shop.accountId }).toArray();
    assert.equal((await all('attachments')).length, 1);
    assert.deepEqual((await all('contents')).map(({ content }) => content.subject).sort(), ['Hello', 'Your receipt']);
    await send({ contact_id: max.id }, null, []);
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
