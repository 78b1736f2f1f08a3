import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormConfirmed, FormSubmitted } from '@mp/contracts/events/contacts';
import { type Client, testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { aForm, newsletter } from '../../test/forms.ts';
import { aVisitor, confirmations } from '../../test/visitors.ts';
import { buildApp } from '../app.ts';

const path = '/v2/contacts/forms';
const text = (label: string) => ({ en: label });
const nameField = { field: 'first_name', type: 'text', label: text('Name') };

test('submissions of a form', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);

  async function formOf(account: Client, body: object = {}) {
    const { status, data, text: reply } = await account.post(path, { ...aForm(), ...body });
    assert.equal(status, 201, reply);
    return data;
  }
  const contactOf = async (account: Client, email: string) => (await account.get(`/v2/contacts?email=${email}`)).data.items[0];
  const ada = (more: object = {}) => ({ fields: { email: 'ada@example.com', ...more }, consents: ['news'] });
  const events = async (account: Client, type: { subject: string }) =>
    (await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: type.subject })).map(({ envelope }) => envelope.data);

  await t.test('create a contact that waits for its confirmation, with the wording as evidence', async () => {
    const account = testClient(app);
    const form = await formOf(account, { fields: [...aForm().fields, nameField], tags: ['reader'] });
    const { status, data } = await aVisitor(app).submit(form.id, { ...ada({ first_name: 'Ada' }), language: 'de' });
    assert.equal(status, 200);
    assert.match(data.message, /Bestätigung/);
    const contact = await contactOf(account, 'ada@example.com');
    assert.deepEqual(
      [
        contact.first_name,
        contact.locale,
        contact.source,
        contact.tags,
        contact.consent.email,
        contact.consent.topics.newsletter.email.status,
      ],
      ['Ada', 'de', 'form', [], null, 'pending'],
    );
    const { data: log } = await account.get(`/v2/contacts/${contact.id}/consent/log`);
    const [entry] = log.items;
    assert.match(entry.evidence.ip, /^198\.51\./);
    assert.deepEqual(
      { ...entry.evidence, ip: '' },
      { ip: '', text: 'Yes, send me the newsletter.', user_agent: 'Firefox', form_id: form.id, form_version: 1 },
    );
    const [requested] = await confirmations(parts, account.accountId);
    assert.deepEqual(
      [requested?.email, requested?.language, requested?.texts],
      ['ada@example.com', 'de', ['Yes, send me the newsletter.']],
    );
    const [submitted] = await events(account, FormSubmitted);
    assert.equal(FormSubmitted.data.parse(submitted).awaits_confirmation, true);
  });

  await t.test('are confirmed by the button of the page that the link opens, once; a GET confirms nothing', async () => {
    const account = testClient(app);
    const form = await formOf(account, { tags: ['reader'] });
    await aVisitor(app).submit(form.id, ada());
    const [requested] = await confirmations(parts, account.accountId);
    const link = requested?.confirm_path ?? '';
    const visitor = aVisitor(app);
    for (const _ of [1, 2, 3]) {
      const page = await visitor.get(link);
      assert.equal(page.status, 200);
      assert.match(page.text, /Yes, send me the newsletter\./);
    }
    assert.equal((await contactOf(account, 'ada@example.com')).consent.topics.newsletter.email.status, 'pending');
    const confirmed = await visitor.post(link);
    assert.match(confirmed.text, /Confirmed/);
    const contact = await contactOf(account, 'ada@example.com');
    const { status, method } = contact.consent.topics.newsletter.email;
    assert.deepEqual([status, method, contact.tags, contact.consent.email], ['subscribed', 'double_opt_in', ['reader'], null]);
    assert.equal((await visitor.post(link)).status, 200);
    assert.equal((await visitor.get(link)).status, 200);
    assert.equal((await contactOf(account, 'ada@example.com')).revision, contact.revision, 'a second use changes nothing');
    assert.equal((await events(account, FormConfirmed)).length, 1);
    const { data: log } = await account.get(`/v2/contacts/${contact.id}/consent/log`);
    assert.ok(log.items[0].evidence.submitted_at < log.items[0].after.at, 'both times');
    const { data: timeline } = await account.get(`/v2/contacts/${contact.id}/timeline?kind=form`);
    assert.deepEqual(
      timeline.items.map(({ type, facts }: { type: string; facts: { form_id: string } }) => [type, facts.form_id]),
      [
        ['contacts.form.confirmed', form.id],
        ['contacts.form.submitted', form.id],
      ],
      'both are in the timeline of the contact, once',
    );
    for (const wrong of [link.slice(0, -3), `${link}x`, '/f/confirm/nonsense']) assert.equal((await visitor.post(wrong)).status, 404);
  });

  await t.test('of a topic leave the other topics; a submission of a subscriber changes no consent and sends nothing', async () => {
    const account = testClient(app);
    const [news, offers] = [await formOf(account), await formOf(account, { consents: newsletter({ topics: ['offers'] }) })];
    const confirmLast = async () => aVisitor(app).post((await confirmations(parts, account.accountId)).at(-1)?.confirm_path ?? '');
    await aVisitor(app).submit(news.id, ada());
    await confirmLast();
    await aVisitor(app).submit(offers.id, ada());
    const statuses = async () => {
      const { topics } = (await contactOf(account, 'ada@example.com')).consent;
      return [topics.newsletter.email.status, topics.offers?.email.status];
    };
    assert.deepEqual(await statuses(), ['subscribed', 'pending']);
    const before = (await contactOf(account, 'ada@example.com')).revision;
    await aVisitor(app).submit(news.id, ada());
    assert.equal((await contactOf(account, 'ada@example.com')).revision, before);
    assert.equal((await confirmations(parts, account.accountId)).length, 2);
    await confirmLast();
    assert.deepEqual(await statuses(), ['subscribed', 'subscribed']);
  });

  await t.test('after an unsubscription keep it on record until they are confirmed, even without double opt-in', async () => {
    for (const enabled of [true, false]) {
      const account = testClient(app);
      const form = await formOf(account, { double_opt_in: { enabled }, consents: newsletter({ topics: [] }) });
      await account.post('/v2/contacts', { email: 'ada@example.com', consent: { email: { status: 'unsubscribed' } } });
      await aVisitor(app).submit(form.id, ada());
      assert.equal((await contactOf(account, 'ada@example.com')).consent.email.status, 'unsubscribed');
      const [requested] = await confirmations(parts, account.accountId);
      await aVisitor(app).post(requested?.confirm_path ?? '');
      assert.equal((await contactOf(account, 'ada@example.com')).consent.email.status, 'subscribed');
    }
  });

  await t.test('without double opt-in subscribe at once, with tags', async () => {
    const account = testClient(app);
    const form = await formOf(account, { double_opt_in: { enabled: false }, tags: ['reader'] });
    await aVisitor(app).submit(form.id, ada());
    const contact = await contactOf(account, 'ada@example.com');
    const { status, method } = contact.consent.topics.newsletter.email;
    assert.deepEqual(
      [status, method, contact.tags, (await confirmations(parts, account.accountId)).length],
      ['subscribed', 'form', ['reader'], 0],
    );
  });

  await t.test('fill only empty fields of a contact that exists, unless the form overwrites', async () => {
    const account = testClient(app);
    const fields = [
      ...aForm().fields,
      nameField,
      { field: 'company', type: 'text', label: text('Company') },
      { field: 'phone', type: 'phone', label: text('Phone') },
    ];
    const [careful, open] = [await formOf(account, { fields }), await formOf(account, { fields, overwrite: true })];
    await account.post('/v2/contacts', { email: 'Ada@example.com', first_name: 'Ada' });
    await account.post('/v2/contacts', { email: 'other@example.com', phone: '+4930901820' });
    const sent = ada({ email: 'ada@example.com', first_name: 'Mallory', company: 'Evil', phone: '+49 30 901820' });
    assert.equal((await aVisitor(app).submit(careful.id, sent)).status, 200);
    const contact = await contactOf(account, 'ada@example.com');
    assert.deepEqual([contact.email, contact.first_name, contact.company, contact.phone], ['Ada@example.com', 'Ada', 'Evil', null]);
    await aVisitor(app).submit(open.id, sent);
    assert.equal((await contactOf(account, 'ada@example.com')).first_name, 'Mallory');
  });

  await t.test('count once, however often the same one is sent', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    const visitor = aVisitor(app);
    const sent = { ...ada(), submission_id: 'the-same-1' };
    const replies = await Promise.all([1, 2, 3, 4].map(() => visitor.submit(form.id, sent)));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.deepEqual([(await events(account, FormSubmitted)).length, (await confirmations(parts, account.accountId)).length], [1, 1]);
  });

  await t.test('send at most three confirmation emails to an address in 24 hours, whatever the form, even concurrently', async () => {
    const account = testClient(app);
    const forms = await Promise.all(
      [1, 2, 3, 4, 5].map((index) => formOf(account, { consents: newsletter({ topics: [`topic${index}`] }) })),
    );
    const replies = await Promise.all(forms.map(({ id }) => aVisitor(app).submit(id, ada())));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.equal((await confirmations(parts, account.accountId)).length, 3);
  });

  await t.test('request no email for a suppressed address, and none after the address has changed', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    await account.post('/v2/contacts/suppressions', { email: 'gone@example.com', reason: 'hard_bounce' });
    assert.equal((await aVisitor(app).submit(form.id, ada({ email: 'gone@example.com' }))).status, 200);
    assert.equal((await confirmations(parts, account.accountId)).length, 0);
    await aVisitor(app).submit(form.id, ada());
    const [requested] = await confirmations(parts, account.accountId);
    const { id } = await contactOf(account, 'ada@example.com');
    await account.put(`/v2/contacts/${id}`, { email: 'countess@example.com' });
    assert.equal((await aVisitor(app).post(requested?.confirm_path ?? '')).status, 404);
    assert.equal((await contactOf(account, 'countess@example.com')).consent.topics.newsletter.email.status, 'pending');
  });

  await t.test('work without JavaScript: the page shows the problems and what was filled in, then thanks or redirects', async () => {
    const account = testClient(app);
    const form = await formOf(account, {
      fields: [...aForm().fields, { ...nameField, required: true }],
      consents: newsletter({ required: true }),
    });
    const visitor = aVisitor(app);
    const wrong = await visitor.post(`/f/${form.id}`, { email: 'ada@example.com', first_name: '' }, { origin: 'http://forms.example' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /role="alert"/);
    assert.match(wrong.text, /value="ada@example\.com"/);
    const right = { email: 'ada@example.com', first_name: 'Ada', consent: 'news' };
    assert.match((await visitor.post(`/f/${form.id}`, right)).text, /Thank you/);
    assert.equal((await contactOf(account, 'ada@example.com')).first_name, 'Ada');
    await account.put(`${path}/${form.id}`, { after_submission: { kind: 'redirect', url: 'https://shop.example/thanks' } });
    const redirected = await visitor.post(`/f/${form.id}`, { ...right, redirect: 'https://evil.example', next: '//evil.example' });
    assert.deepEqual([redirected.status, redirected.headers.location], [303, 'https://shop.example/thanks']);
  });

  await t.test('name every problem, and reject what the form does not ask for', async () => {
    const account = testClient(app);
    const size = { field: 'attributes.size', type: 'select', label: text('Size'), options: [{ value: 'm', label: text('M') }] };
    const form = await formOf(account, {
      fields: [...aForm().fields, size, { field: 'attributes.age', type: 'number', label: text('Age') }],
    });
    for (const [fields, at] of [
      [{}, '/fields/email'],
      [{ email: 'nope' }, '/fields/email'],
      [{ email: 'a@example.com', 'attributes.size': 'xl' }, '/fields/attributes.size'],
      [{ email: 'a@example.com', 'attributes.age': 'old' }, '/fields/attributes.age'],
      [{ email: 'a@example.com', external_id: '7' }, '/fields/external_id'],
      [{ email: 'a@example.com', tags: 'vip' }, '/fields/tags'],
    ] as const) {
      const { status, error } = await aVisitor(app).submit(form.id, { fields });
      assert.deepEqual([status, error.details[0].path], [400, at]);
    }
    assert.equal((await aVisitor(app).submit(form.id, { fields: { email: 'a@example.com' }, consents: ['other'] })).status, 400);
    await aVisitor(app).submit(form.id, { fields: { email: 'a@example.com', 'attributes.age': '41', 'attributes.size': 'm' } });
    const contact = await contactOf(account, 'a@example.com');
    assert.deepEqual(
      [contact.attributes, contact.consent],
      [
        { age: 41, size: 'm' },
        { email: null, sms: null },
      ],
    );
  });

  await t.test('from a disposable address are rejected if the form says so, even in a subdomain, with what would be right', async () => {
    const account = testClient(app);
    const strict = await formOf(account, { reject_disposable_addresses: true });
    const open = await formOf(account);
    for (const email of ['ada@mailinator.com', 'ada@Inbox.Mailinator.COM']) {
      const { status, error } = await aVisitor(app).submit(strict.id, { fields: { email } });
      const [{ path, code, message }] = error.details;
      assert.deepEqual([status, path, code], [400, '/fields/email', 'disposable_address']);
      assert.match(message, /permanent address/);
    }
    const page = await aVisitor(app).post(`/f/${strict.id}`, { email: 'ada@mailinator.com', _language: 'de' });
    assert.equal(page.status, 400);
    assert.match(page.text, /Wegwerfadressen/);
    assert.equal((await aVisitor(app).submit(strict.id, { fields: { email: 'ada@my-mailinator.example' } })).status, 200);
    assert.equal((await aVisitor(app).submit(open.id, { fields: { email: 'bo@mailinator.com' } })).status, 200);
    const earlier = parts.mongo.db.collection<{ _id: string }>('forms');
    await earlier.updateOne({ _id: open.id }, { $unset: { reject_disposable_addresses: '' } });
    assert.equal(
      (await account.get(`/v2/contacts/forms/${open.id}`)).data.reject_disposable_addresses,
      false,
      'a form of an earlier version',
    );
  });

  await t.test('of a contact that was imported as pending are confirmed again', async () => {
    const account = testClient(app);
    const form = await formOf(account, { consents: newsletter({ topics: [] }) });
    const imported = { email: 'ada@example.com', first_name: 'Ada', source: 'old system', consent: { email: { status: 'pending' } } };
    assert.equal((await account.post('/v2/contacts', imported)).status, 201);
    await aVisitor(app).submit(form.id, ada());
    const [requested] = await confirmations(parts, account.accountId);
    assert.equal((await contactOf(account, 'ada@example.com')).consent.email.status, 'pending');
    assert.equal((await aVisitor(app).post(requested?.confirm_path ?? '')).status, 200);
    const { consent, first_name, source } = await contactOf(account, 'ada@example.com');
    assert.deepEqual([consent.email.status, consent.email.method], ['subscribed', 'double_opt_in']);
    assert.deepEqual([first_name, source], ['Ada', 'old system']);
  });

  await t.test('are not accepted by archived forms', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    await account.post(`${path}/${form.id}/archive`);
    assert.deepEqual([(await aVisitor(app).submit(form.id, ada())).status, (await aVisitor(app).get(`/f/${form.id}`)).status], [404, 404]);
  });
});
