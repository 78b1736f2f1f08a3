import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CampaignEffectCompleted, MessageSent } from '@mp/contracts/events/campaigns';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import { CampaignTemplate } from '@mp/contracts/questions/campaigns';
import { newId } from '@mp/ids';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { account, startSetting } from './setting.ts';

test('emails of workflows', async (t) => {
  const { app, parts, neighbours, sink } = await startSetting(t);
  const events = await listenToEvents(t);
  const owner = account(app);
  const { accountId } = owner;
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

  await t.test('take the current version of their template, with the subject of the step if it has one', async () => {
    sink.behave(() => 'take');
    const template = async (body: object) =>
      String((await owner.post('/v2/campaigns/templates', { name: newId('template'), html: '<p>Old</p>', ...body })).data.id);
    const named = await template({ subject: 'From the template' });
    const nameless = await template({});
    await owner.put(`/v2/campaigns/templates/${named}`, { html: '<p>New</p>' });
    const request = (template_id: string, more: object = {}) => ({ template_id, subject: null, html: null, ...more });
    for (const [index, [email, change, subject]] of (
      [
        ['t1@example.com', request(named), 'From the template'],
        ['t2@example.com', request(nameless, { subject: 'Of the step' }), 'Of the step'],
      ] as const
    ).entries()) {
      const { id } = neighbours.contact(accountId, { email });
      await ask(id, `run_3:${index}`, change);
      assert.equal((await resultOf(`run_3:${index}`)).status, 'done');
      const received = await sink.mailTo(email);
      assert.equal(received?.subject, subject);
      assert.match(String(received?.html), index === 0 ? /<p>New<\/p>/ : /<p>Old<\/p>/);
    }
    const { id } = neighbours.contact(accountId, { email: 't3@example.com' });
    for (const [key, change, why] of [
      ['run_4:1', request(newId('template')), /no longer exists/],
      ['run_4:2', request(nameless), /subject/],
    ] as const) {
      await ask(id, key, change);
      const { status, reason, detail } = await resultOf(key);
      assert.deepEqual([status, reason], ['refused', 'template_error']);
      assert.match(detail ?? '', why);
    }
    const reply = (template_id: string) => parts.broker.ask(CampaignTemplate, { account_id: accountId, template_id });
    const content = { subject: 'From the template', preview_text: null, html: '<p>New</p>', text: null };
    assert.deepEqual(await reply(named), { template: { version: 2, content } });
    assert.deepEqual(await reply(newId('template')), { template: null });
  });

  await t.test('need no consent and have no unsubscribe link if they are transactional', async () => {
    const consent = { email: { status: 'unsubscribed' as const, at: '2026-01-01T00:00:00.000Z', method: 'api' as const }, sms: null };
    const { id } = neighbours.contact(accountId, { email: 'receipt@example.com', consent });
    const request = { effect_key: 'run_5:1', run_id: newId('run'), workflow_id, contact_id: id, message };
    await neighbours.publish(SendEffectRequested, accountId, { ...request, category: 'transactional' });
    assert.equal((await resultOf('run_5:1')).status, 'done');
    const received = await sink.mailTo('receipt@example.com');
    assert.ok(received);
    assert.deepEqual(
      received.headers.filter(({ key }) => key === 'list-unsubscribe'),
      [],
    );
  });

  await t.test('share one stored content if they are equal', async () => {
    assert.ok((await parts.mongo.db.collection('contents').countDocuments()) <= 5);
  });
});
