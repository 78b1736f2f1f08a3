import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CampaignEffectCompleted, MessageSent } from '@mp/contracts/events/campaigns';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { account, startSetting } from './setting.ts';

test('emails of workflows', async (t) => {
  const { app, parts, neighbours, sink } = await startSetting(t);
  const events = await listenToEvents(t);
  const { accountId } = account(app);
  const message = {
    subject: 'Welcome {{ contact.first_name }}',
    preview_text: null,
    from: { email: 'news@example.com', name: null },
    reply_to: null,
    html: '<p>Hello</p>',
    text: null,
    track: { opens: false, clicks: true },
  };
  const workflow_id = newId('workflow');
  const ask = async (contactId: string, effect_key: string, change: object = {}) => {
    const run_id = newId('run');
    const request = { effect_key, run_id, workflow_id, contact_id: contactId, message: { ...message, ...change } };
    await neighbours.publish(SendEffectRequested, accountId, request);
    return request;
  };
  const resultOf = async (key: string) => (await events.next(CampaignEffectCompleted, ({ data }) => data.effect_key === key)).data;

  await t.test('are sent once per key, however often they are requested, and report their result', async () => {
    const ada = neighbours.contact(accountId, { email: 'ada@example.com', first_name: 'Ada' });
    const [first] = await Promise.all([ask(ada.id, 'run_1:1'), ask(ada.id, 'run_1:1'), ask(ada.id, 'run_1:1')]);
    const result = await resultOf('run_1:1');
    assert.deepEqual([result.status, result.reason], ['done', null]);
    const sent = await events.next(MessageSent, ({ data }) => data.contact_id === ada.id);
    assert.deepEqual(
      [sent.data.workflow_id, sent.data.campaign_id, sent.data.recipient_id],
      [first.workflow_id, null, result.recipient_id],
    );
    await ask(ada.id, 'run_1:2');
    await resultOf('run_1:2');
    assert.equal(sink.received.length, 2);
    assert.equal((await sink.mailTo('ada@example.com'))?.subject, 'Welcome Ada');
  });

  await t.test('report the reason if they cannot be sent, so that every run continues', async () => {
    sink.behave((address) =>
      address.startsWith('gone')
        ? { rcpt: 550, text: '5.1.1 gone' }
        : address.startsWith('drop')
          ? { drop: 'in_data', kept: false }
          : 'take',
    );
    const consent = { email: { status: 'unsubscribed' as const, at: '2026-01-01T00:00:00.000Z', method: 'api' as const }, sms: null };
    const cases = [
      [neighbours.contact(accountId, { email: 'bo@example.com', consent }).id, {}, /^unsubscribed$/],
      [neighbours.contact(accountId, { email: null }).id, {}, /^no_address$/],
      [newId('contact'), {}, /^deleted$/],
      [neighbours.contact(accountId, { email: 'cy@example.com' }).id, { html: '{% if %}' }, /^template_error$/],
      [neighbours.contact(accountId, { email: 'di@example.com' }).id, { from: { email: 'nobody', name: null } }, /from\.email/],
      [neighbours.contact(accountId, { email: 'gone@example.com' }).id, {}, /5\.1\.1 gone/],
      [neighbours.contact(accountId, { email: 'drop@example.com' }).id, {}, /^unknown/],
    ] as const;
    for (const [index, [contactId, change, reason]] of cases.entries()) {
      const key = `run_2:${index}`;
      await ask(contactId, key, change);
      const result = await resultOf(key);
      assert.equal(result.status, 'refused');
      assert.match(result.reason ?? '', reason);
      if (result.reason === 'template_error') assert.match(result.detail ?? '', /\/html: /, 'the run has the template error');
    }
  });

  await t.test('share one stored content if they are equal', async () => {
    assert.ok((await parts.mongo.db.collection('contents').countDocuments()) <= 2);
  });
});
