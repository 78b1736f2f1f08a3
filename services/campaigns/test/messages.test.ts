import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageSent } from '@mp/contracts/events/campaigns';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { writtenEvents } from '@mp/test-kit/written-events';
import { maxAttachmentBytes } from '../src/messages/attachment.ts';
import { reconciliation, sendCampaign, smallest, startSetting, untilStatus } from './setting.ts';

const path = '/v2/campaigns/messages';
const from = { email: 'shop@example.com', name: 'Shop' };
const content = {
  subject: 'Order {{ data.order }}',
  html: '<p>Hi {{ contact.first_name }}, <a href="https://example.com/o">order</a></p>',
};

const untilState = (account: Client, id: string, state: string) =>
  eventually(async () => {
    const { data } = await account.get(`${path}/${id}`);
    return data.state === state && data;
  });

test('messages', async (t) => {
  const { app, neighbours, sink, parts } = await startSetting(t);
  const account = testClient(app);
  const send = async (body: object, headers = {}) => account.post(path, { from, content, ...body }, headers);

  await t.test(
    'a transactional message reaches a contact that has unsubscribed, without unsubscribe headers; a marketing one does not',
    async () => {
      const ada = neighbours.contact(account.accountId, { email: 'ada-left@example.com', consent: { email: null, sms: null } });
      const { status, data, headers } = await send({ to: { contact_id: ada.id }, data: { order: 'A-1' } });
      assert.deepEqual(
        [status, data.state, data.to, headers.location],
        [202, 'queued', { contact_id: ada.id, email: null }, `${path}/${data.id}`],
      );
      const sent = await untilState(account, data.id, 'sent');
      assert.deepEqual([sent.to.email, sent.data], ['ada-left@example.com', { order: 'A-1' }]);
      const mail = await sink.mailTo('ada-left@example.com');
      assert.equal(mail?.subject, 'Order A-1');
      assert.equal(
        mail?.headers.find(({ key }) => key === 'list-unsubscribe'),
        undefined,
      );
      assert.doesNotMatch(`${mail?.html}${mail?.text}`, /nsubscribe/);
      const refused = (await send({ to: { contact_id: ada.id }, category: 'marketing' })).data;
      assert.equal((await untilState(account, refused.id, 'skipped')).reason, 'pending_opt_in');
      const events = (await writtenEvents(parts.mongo.db, { subject: MessageSent.subject })).filter(
        ({ envelope }) => envelope.account_id === account.accountId,
      );
      assert.deepEqual(
        events.map(({ envelope }) => envelope.data.recipient_id),
        [data.id],
      );
    },
  );

  await t.test('suppressed addresses get no message of any category, with or without a contact', async () => {
    neighbours.suppress(account.accountId, 'gone@example.com');
    const bad = neighbours.contact(account.accountId, { email: 'bounced@example.com', status: 'bounced' });
    const nobody = (await send({ to: { email: 'gone@example.com' } })).data;
    const contact = (await send({ to: { contact_id: bad.id } })).data;
    assert.equal((await untilState(account, nobody.id, 'skipped')).reason, 'suppressed');
    assert.equal((await untilState(account, contact.id, 'skipped')).reason, 'bounced_before');
    assert.deepEqual([...sink.to('gone@example.com'), ...sink.to('bounced@example.com')], []);
  });

  await t.test('an address without a contact gets a message with attachments and the version of its template', async () => {
    const { id } = (await account.post('/v2/campaigns/templates', { name: 'Receipt', subject: 'Receipt', html: '<p>{{ data.total }}</p>' }))
      .data;
    const file = Buffer.alloc(9 * 1_048_576, 'pdf');
    const body = {
      ...{ content: undefined, template_id: id, to: { email: 'new@example.com' }, data: { total: '5 EUR' } },
      attachments: [{ filename: 'receipt.pdf', content_type: 'application/pdf', content: file.toString('base64') }],
    };
    const { status, data } = await send(body);
    assert.deepEqual([status, data.to, data.template_version], [202, { contact_id: null, email: 'new@example.com' }, 1]);
    assert.deepEqual(data.attachments, [{ filename: 'receipt.pdf', content_type: 'application/pdf', size: file.length }]);
    await untilState(account, data.id, 'sent');
    const mail = await sink.mailTo('new@example.com');
    assert.match(mail?.html ?? '', /5 EUR/);
    const [attached] = mail?.attachments ?? [];
    const received = attached?.content instanceof ArrayBuffer ? Buffer.from(attached.content) : Buffer.from('');
    assert.deepEqual([attached?.filename, received.equals(file)], ['receipt.pdf', true]);
    const large = await send({ ...body, attachments: [...body.attachments, ...body.attachments] });
    assert.ok([400, 413].includes(large.status), large.text);
  });

  await t.test('a retry with the same Idempotency-Key sends nothing', async () => {
    const key = { 'idempotency-key': 'order-7' };
    const body = { to: { email: 'once@example.com' } };
    const [first, second] = [await send(body, key), await send(body, key)];
    assert.deepEqual([second.status, second.data], [202, first.data]);
    await untilState(account, first.data.id, 'sent');
    const listed = (await account.get(`${path}?state=sent&limit=1`)).data;
    assert.deepEqual([listed.items[0].id, listed.pagination.has_more], [first.data.id, true]);
    assert.equal(sink.to('once@example.com').length, 1);
  });

  await t.test('is rejected with the field that is wrong', async () => {
    const to = { email: 'x@example.com' };
    const tooLarge = { filename: 'x.txt', content_type: 'text/plain', content: Buffer.alloc(maxAttachmentBytes + 1).toString('base64') };
    const messages = async () => (await account.get(`${path}?limit=100`)).data.items.length;
    const before = await messages();
    const wrong: [object, string][] = [
      [{ to: {} }, '/to/email'],
      [{ to: { email: 'not an address' } }, '/to/email'],
      [{ to, from: { email: 'shop' } }, '/from/email'],
      [{ to: { contact_id: newId('contact') } }, '/to/contact_id'],
      [{ to, content: { ...content, html: '{{ contact.nam }}' } }, '/html'],
      [{ to, content: { subject: 'Hi' } }, '/html'],
      [{ to, content: undefined, template_id: newId('template') }, '/template_id'],
      [{ to, template_id: newId('template') }, '/content'],
      [{ to, attachments: [{ filename: '../x', content_type: 'text/plain', content: 'eA==' }] }, '/attachments/0/filename'],
      [{ to, attachments: [tooLarge] }, '/attachments'],
    ];
    for (const [body, at] of wrong) {
      const { status, error } = await send(body);
      assert.deepEqual([status, error.details[0].path], [400, at]);
    }
    assert.equal(await messages(), before, 'none of them is sent');
  });

  await t.test('is sent while a campaign occupies the mail server', async () => {
    const owner = testClient(app);
    neighbours.contacts(owner.accountId, 400, (index) => ({ email: `busy${index}@example.com` }));
    sink.behave((address) => (address.startsWith('busy') ? { slowMs: 50 } : 'take'));
    const id = await sendCampaign(owner);
    await untilStatus(owner, id, 'sending');
    await eventually(async () => sink.received.some(({ to }) => to.startsWith('busy')));
    const { data } = await owner.post(path, { from, content, to: { email: 'urgent@example.com' } });
    await untilState(owner, data.id, 'sent');
    const before = sink.received.findIndex(({ to }) => to === 'urgent@example.com');
    assert.ok(before < 350, `${before} emails of the campaign were sent before the message`);
    await owner.post(`/v2/campaigns/${id}/cancel`);
    sink.behave(() => 'take');
  });

  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: () => path });
  const body = { from, content, to: { email: 'guaranteed@example.com' } };
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:send', url: () => path, body });
  const message = async (client: Client) => `${path}/${(await client.post(path, body)).data.id}`;
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: message });
});

test('tests of campaigns', async (t) => {
  const { app, neighbours, sink, parts } = await startSetting(t);
  const account = testClient(app);
  const html = '<p>{{ contact.first_name }} <a href="https://example.com/x">x</a></p>';

  await t.test('are marked, have working links, and are counted nowhere', async () => {
    const ada = neighbours.contact(account.accountId, { first_name: 'Ada' });
    const utm = { source: 'news' };
    const { id } = (await account.post('/v2/campaigns', { ...smallest, html, utm })).data;
    const { status, data } = await account.post(`/v2/campaigns/${id}/test`, {
      to: ['me@example.com', 'you@example.com'],
      contact_id: ada.id,
    });
    assert.deepEqual([status, data.messages.length, data.messages[0].category], [202, 2, 'test']);
    for (const message of data.messages) await untilState(account, message.id, 'sent');
    const mail = await sink.mailTo('me@example.com');
    assert.equal(mail?.subject, '[Test] Hi Ada');
    const link = /http:\/\/mail\.test(\/t\/[^"]+)"[^>]*>x/.exec(mail?.html ?? '')?.[1] ?? '';
    const followed = await app.inject({ method: 'GET', url: link });
    const target = 'https://example.com/x?utm_source=news&utm_medium=email&utm_campaign=Hello';
    assert.deepEqual([followed.statusCode, followed.headers.location], [302, target]);
    const unsubscribe =
      /<http:\/\/mail\.test([^>]+)>/.exec(mail?.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '')?.[1] ?? '';
    const left = await app.inject({
      method: 'POST',
      url: unsubscribe,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'x=1',
    });
    assert.equal(left.statusCode, 200);
    for (const name of ['engagements', 'suppressions', 'outbox']) {
      const own = { $or: [{ account_id: account.accountId }, { 'envelope.account_id': account.accountId }], subject: /message/ };
      assert.equal(await parts.mongo.db.collection(name).countDocuments(name === 'outbox' ? own : {}), 0, name);
    }
    assert.deepEqual((await reconciliation(account, id)).sum, 0);
    assert.deepEqual((await account.get(path)).data.items, []);
    assert.equal((await account.get(`/v2/campaigns/${id}`)).data.status, 'draft');
  });

  await t.test('are limited per hour and per request', async () => {
    const own = testClient(app);
    const { id } = (await own.post('/v2/campaigns', smallest)).data;
    const to = Array.from({ length: 5 }, (_, index) => `many${index}@example.com`);
    for (let count = 0; count < 10; count += 1) assert.equal((await own.post(`/v2/campaigns/${id}/test`, { to })).status, 202);
    const late = await own.post(`/v2/campaigns/${id}/test`, { to: ['late@example.com'] });
    assert.deepEqual([late.status, late.error.code], [429, 'RATE_LIMITED']);
    assert.ok(Number(late.headers['retry-after']) > 3_000);
    assert.equal((await own.post(`/v2/campaigns/${id}/test`, { to: [...to, 'six@example.com'] })).status, 400);
  });

  const under = async (client: Client) => `/v2/campaigns/${(await client.post('/v2/campaigns', smallest)).data.id}`;
  const test = async (client: Client) => `${await under(client)}/test`;
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:send', url: test, body: { to: ['me@example.com'] } });
  const duplicate = async (client: Client) => `${await under(client)}/duplicate`;
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:write', url: duplicate, body: { name: 'Copy' } });
  const unschedule = async (client: Client) => `${await under(client)}/unschedule`;
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:send', url: unschedule, body: {} });
});
