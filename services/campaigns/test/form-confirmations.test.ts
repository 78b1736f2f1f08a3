import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormConfirmationRequested } from '@mp/contracts/events/contacts';
import { PageLanguage } from '@mp/contracts/page-language';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { recipientsOf } from '../src/ledger/recipients/recipient-row.ts';
import { account, sendCampaign, startSetting, untilStatus } from './setting.ts';

const pending = { status: 'pending' as const, at: '2026-01-01T00:00:00.000Z', method: 'form' as const };

test('the confirmation emails of forms', async (t) => {
  const { app, parts, neighbours, sink } = await startSetting(t, { FORMS_URL: 'https://forms.test' });
  const owner = account(app);
  const { accountId } = owner;
  const request = async (contactId: string, email: string, more: object = {}) => {
    const key = `${newId('optIn')}:1`;
    const data = {
      ...{ key, opt_in_id: newId('optIn'), form_id: newId('form'), contact_id: contactId, email, language: 'en' as const },
      sender: { email: 'news@example.com', name: 'Shop' },
      template_id: null,
      texts: ['Yes, send me <b>news</b>.'],
      confirm_path: '/f/confirm/abc',
      is_reminder: false,
      expires_at: new Date(Date.now() + 60_000).toISOString(),
      ...more,
    };
    for (const _ of [1, 2, 3]) await neighbours.publish(FormConfirmationRequested, accountId, data);
    return key;
  };
  const rowOf = (key: string, state: string) =>
    eventually(async () => {
      const row = await recipientsOf(parts.mongo.db).findOne({ account_id: accountId, source_key: key });
      return row?.state === state && row;
    });

  await t.test('are sent once per key to a contact without consent, with a link that no other email and no response shows', async () => {
    const ada = neighbours.contact(accountId, { email: 'ada@example.com', consent: { email: null, sms: null } });
    const key = await request(ada.id, 'ada@example.com');
    const row = await rowOf(key, 'sent');
    const mail = await sink.mailTo('ada@example.com');
    assert.equal(mail?.subject, 'Please confirm');
    assert.match(mail?.html ?? '', /href="https:\/\/forms\.test\/f\/confirm\/abc"/);
    assert.match(mail?.html ?? '', /&lt;b&gt;news/);
    assert.match(mail?.text ?? '', /https:\/\/forms\.test\/f\/confirm\/abc/);
    assert.ok(!(mail?.headers ?? []).some(({ key: name }) => name === 'list-unsubscribe'));
    const message = await owner.get(`/v2/campaigns/messages/${row._id}`);
    assert.deepEqual([message.status, message.data.category], [200, 'transactional']);
    assert.ok(!message.text.includes('/f/confirm/'));
    assert.equal(sink.received.length, 1);
  });

  await t.test('wait until they are due if a bulk job requested them, and are sent then', async () => {
    const eve = neighbours.contact(accountId, { email: 'eve@example.com' });
    const due_at = new Date(Date.now() + 1_500).toISOString();
    const key = await request(eve.id, 'eve@example.com', { due_at });
    const { sent_at } = await rowOf(key, 'sent');
    assert.ok(sent_at && sent_at >= new Date(due_at), `${sent_at?.toISOString()} is before ${due_at}`);
  });

  await t.test('are worded in ten languages, and come from the template of the form while it exists', async () => {
    for (const language of PageLanguage.options) {
      const email = `${language}@example.com`;
      await rowOf(await request(neighbours.contact(accountId, { email }).id, email, { language, is_reminder: true }), 'sent');
      assert.ok((await sink.mailTo(email))?.html?.includes(`lang="${language}"`));
    }
    const template = { name: 'Opt-in', subject: 'Hello {{ contact.first_name }}', html: '<a href="{{ data.confirm_url }}">Yes</a>' };
    const { data } = await owner.post('/v2/campaigns/templates', template);
    const bo = neighbours.contact(accountId, { email: 'bo@example.com', first_name: 'Bo' });
    await rowOf(await request(bo.id, 'bo@example.com', { template_id: data.id }), 'sent');
    assert.equal((await sink.mailTo('bo@example.com'))?.subject, 'Hello Bo');
    await owner.delete(`/v2/campaigns/templates/${data.id}`);
    const cy = neighbours.contact(accountId, { email: 'cy@example.com' });
    await rowOf(await request(cy.id, 'cy@example.com', { template_id: data.id }), 'sent');
    assert.equal((await sink.mailTo('cy@example.com'))?.subject, 'Please confirm');
  });

  await t.test('are not sent to suppressed addresses, nor after their link has expired', async () => {
    const before = sink.received.length;
    const dee = neighbours.contact(accountId, { email: 'dee@example.com' });
    neighbours.suppress(accountId, 'dee@example.com');
    await request(dee.id, 'dee@example.com', { key: 'late', expires_at: new Date(Date.now() - 1).toISOString() });
    const key = await request(dee.id, 'dee@example.com');
    assert.equal((await rowOf(key, 'skipped')).reason, 'suppressed');
    assert.equal(await recipientsOf(parts.mongo.db).countDocuments({ source_key: 'late' }), 0);
    assert.equal(sink.received.length, before);
  });

  await t.test(
    'on a pending channel or topic nothing else is sent; a confirmed topic is, even after an earlier unsubscription',
    async () => {
      const other = account(app);
      const confirmed = { status: 'subscribed' as const, at: '2026-02-01T00:00:00.000Z', method: 'double_opt_in' as const };
      const subscribed = { ...confirmed, method: 'api' as const };
      const unsubscribed = { ...subscribed, status: 'unsubscribed' as const, at: '2026-01-15T00:00:00.000Z' };
      const news = (email: typeof confirmed | typeof pending | typeof subscribed) => ({ topics: { news: { email, sms: null } } });
      const consents = {
        'pending-channel': { email: pending, sms: null },
        'pending-topic': { email: subscribed, sms: null, ...news(pending) },
        confirmed: { email: null, sms: null, ...news(confirmed) },
        returned: { email: unsubscribed, sms: null, ...news(confirmed) },
        claimed: { email: unsubscribed, sms: null, ...news(subscribed) },
        left: { email: { ...unsubscribed, at: '2026-03-01T00:00:00.000Z' }, sms: null, ...news(confirmed) },
      };
      const members = Object.entries(consents).map(([name, consent]) =>
        neighbours.contact(other.accountId, { email: `${name}@topic.example`, consent }),
      );
      const segment = neighbours.segment(other.accountId, members);
      const id = await sendCampaign(other, { audience: { include: [segment] }, topic: 'news' });
      await untilStatus(other, id, 'sent');
      const sent = sink.received.map(({ to }) => to).filter((to) => to.endsWith('@topic.example'));
      assert.deepEqual(sent.sort(), ['confirmed@topic.example', 'returned@topic.example']);
    },
  );

  await t.test('a topic that was confirmed after an unsubscription can be left, and all email again, on the preference page', async () => {
    const other = account(app);
    const confirmed = { status: 'subscribed' as const, at: '2026-02-01T00:00:00.000Z', method: 'double_opt_in' as const };
    const unsubscribed = { status: 'unsubscribed' as const, at: '2026-01-15T00:00:00.000Z', method: 'api' as const };
    const consent = { email: unsubscribed, sms: null, topics: { news: { email: confirmed, sms: null } } };
    const segment = neighbours.segment(other.accountId, [neighbours.contact(other.accountId, { email: 'back@topic.example', consent })]);
    const topics = [
      { id: 'news', name: 'News' },
      { id: 'offers', name: 'Offers' },
    ];
    assert.equal((await other.as({ permission: 'admin' }).put('/v2/campaigns/settings', { topics })).status, 200);
    const send = async () => untilStatus(other, await sendCampaign(other, { audience: { include: [segment] }, topic: 'news' }), 'sent');
    await send();
    const mail = await sink.mailTo('back@topic.example');
    const unsubscribe = mail?.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
    const [, link = ''] = /<http:\/\/mail\.test(\/t\/[^>]+)>/.exec(unsubscribe) ?? [];
    const page = await app.inject({ method: 'GET', url: link });
    assert.match(page.payload, /value="news" checked/);
    assert.match(page.payload, /value="offers">/);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await app.inject({ method: 'POST', url: link, headers, payload: 'action=unsubscribe' });
    const sent = sink.received.length;
    await send();
    assert.equal(sink.received.length, sent);
  });
});
