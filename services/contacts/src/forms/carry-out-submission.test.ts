import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suppressionHash } from '@mp/contracts/contact';
import { FormSubmitted } from '@mp/contracts/events/contacts';
import { SegmentMembersAdd } from '@mp/contracts/requests/segments';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { aForm, newsletter } from '../../test/forms.ts';
import { aVisitor, confirmations } from '../../test/visitors.ts';
import { buildApp } from '../app.ts';
import { createOptInsStore } from './opt-ins-store.ts';
import { signStamp } from './page-stamp.ts';

const text = (label: string) => ({ en: label });
const aField = (field: string) => ({ field, type: 'text', label: text(field) });

test('what a submission writes', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  // Without the relay, so that what was published stays in the outbox.
  parts.broker.start();
  await parts.broker.reply(SegmentMembersAdd, async () => ({ refused: null, items: [] }));

  async function formOf(account: Client, body: object = {}) {
    const { status, data, text: reply } = await account.post('/v2/contacts/forms', { ...aForm(), ...body });
    assert.equal(status, 201, reply);
    return data;
  }
  const contactOf = async (account: Client, email = 'ada@example.com') => (await account.get(`/v2/contacts?email=${email}`)).data.items[0];
  const ada = (more: object = {}) => ({ fields: { email: 'ada@example.com', ...more }, consents: ['news'] });
  const confirmLast = async (account: Client) =>
    aVisitor(app).post((await confirmations(parts, account.accountId)).at(-1)?.confirm_path ?? '');
  const emailsOf = async (account: Client) =>
    (await account.get('/v2/contacts')).data.items.map(({ email }: { email: string }) => email).sort();

  await t.test('the address of a page as evidence is cut to what a consent log can have, which stays readable', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    const page = `https://shop.example/${'a'.repeat(1_900)}`;
    assert.equal((await aVisitor(app).submit(form.id, { ...ada(), page })).status, 200);
    await confirmLast(account);
    const { id } = await contactOf(account);
    const log = async () => (await account.get(`/v2/contacts/${id}/consent/log`)).data?.items;
    const sources = (await log()).map(({ evidence }: { evidence: { source: string } }) => evidence.source);
    assert.deepEqual(sources, [page.slice(0, 500), page.slice(0, 500)]);
    const rows = parts.mongo.db.collection('consent_log');
    await rows.updateMany({ contact_id: id }, { $set: { 'evidence.source': page } });
    assert.equal((await log())[0].evidence.source, page, 'one that an earlier version stored');
  });

  await t.test('a contact that has no room for more keeps what it has, and the response does not show it', async () => {
    const account = testClient(app);
    const form = await formOf(account, {
      fields: [...aForm().fields, aField('attributes.team')],
      segment_id: newId('segment'),
      tags: ['new'],
    });
    const attributes = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`a${index}`, 'x']));
    const topics = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`t${index}`, { email: { status: 'subscribed' } }]));
    const { status } = await account.post('/v2/contacts', { email: 'ada@example.com', attributes, consent: { email: null, topics } });
    assert.equal(status, 201);
    const before = await contactOf(account);
    const full = await aVisitor(app).submit(form.id, ada({ 'attributes.team': 'red' }));
    const other = await aVisitor(app).submit(form.id, ada({ email: 'bo@example.com', 'attributes.team': 'red' }));
    assert.deepEqual([full.status, full.data], [200, other.data]);
    assert.deepEqual(await contactOf(account), before);
    assert.equal(await parts.mongo.db.collection('form_additions').countDocuments({ account_id: account.accountId }), 0);
  });

  await t.test('a page that is sent twice counts once, and again after its address was corrected', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    const _stamp = signStamp(parts.contextKeys, form.id, new Date(Date.now() - 5_000));
    const visitor = aVisitor(app);
    for (const email of ['adda@example.com', 'adda@example.com', 'Adda@example.com', 'ada@example.com'])
      assert.equal((await visitor.post(`/f/${form.id}`, { email, consent: 'news', _stamp })).status, 200);
    assert.deepEqual(await emailsOf(account), ['ada@example.com', 'adda@example.com']);
    const submitted = await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: FormSubmitted.subject });
    assert.equal(submitted.length, 2);
  });

  await t.test('an email that is due later counts until 24 hours after it was due', async () => {
    const { accountId } = testClient(app);
    const optIns = createOptInsStore(parts.mongo.db);
    const address = suppressionHash(accountId, 'email', 'ada@example.com');
    const hourMs = 3_600_000;
    const now = new Date();
    const count = (at: Date) =>
      parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => optIns.countMail(tx, accountId, address, at));
    await count(new Date(now.getTime() + 5 * hourMs));
    await count(now);
    const row = await parts.mongo.db.collection('confirmation_mails').findOne({ account_id: accountId });
    assert.deepEqual(row?.expires_at, new Date(now.getTime() + 29 * hourMs));
  });

  await t.test('what follows a confirmation is said in the language of the visitor, else in that of the form', async () => {
    const account = testClient(app);
    const words = { fr: 'Merci', de: 'Danke' };
    const form = await formOf(account, { language: 'de', after_confirmation: { kind: 'message', text: words } });
    for (const [email, language, said] of [
      ['ada@example.com', 'fr', 'Merci'],
      ['bo@example.com', 'it', 'Danke'],
    ] as const) {
      await aVisitor(app).submit(form.id, { fields: { email }, consents: ['news'], language });
      assert.match((await confirmLast(account)).text, new RegExp(said));
    }
  });

  await t.test('a visitor without JavaScript reads a page, even where the form is unavailable', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    const visitor = aVisitor(app);
    const evil = { origin: 'https://evil.example', 'accept-language': 'de' };
    const refused = await visitor.post(`/f/${form.id}`, { email: 'ada@example.com' }, evil);
    await account.post(`/v2/contacts/forms/${form.id}/archive`);
    const gone = await visitor.get(`/f/${form.id}`, { 'accept-language': 'de' });
    for (const [{ status, text: html, headers }, expected] of [
      [refused, 403],
      [gone, 404],
    ] as const) {
      assert.deepEqual([status, headers['content-type']], [expected, 'text/html; charset=utf-8']);
      assert.match(html, /Diese Seite ist nicht verfügbar/);
      assert.match(String(headers['content-security-policy']), /^default-src 'none'/);
    }
  });

  await t.test('a suppressed address gets no tags and no segment, even from a form that asks for no consent', async () => {
    const account = testClient(app);
    const more = { tags: ['vip'], segment_id: newId('segment') };
    const forms = [
      await formOf(account, more),
      await formOf(account, { ...more, consents: newsletter(), double_opt_in: { enabled: false } }),
    ];
    forms.push(await formOf(account, { ...more, consents: [] }));
    await account.post('/v2/contacts', { email: 'ada@example.com', consent: { email: { status: 'subscribed' } } });
    const additions = parts.mongo.db.collection('form_additions');
    for (const email of ['ada@example.com', 'new@example.com']) {
      await account.post('/v2/contacts/suppressions', { email, reason: 'hard_bounce' });
      for (const { id, consents } of forms)
        assert.equal((await aVisitor(app).submit(id, { fields: { email }, consents: consents.length > 0 ? ['news'] : [] })).status, 200);
      assert.deepEqual((await contactOf(account, email)).tags, []);
    }
    assert.equal(await additions.countDocuments({ account_id: account.accountId }), 0);
    await aVisitor(app).submit(forms[2]?.id, { fields: { email: 'bo@example.com' } });
    assert.deepEqual((await contactOf(account, 'bo@example.com')).tags, ['vip'], 'as before, of an address that gets email');
    assert.equal(await additions.countDocuments({ account_id: account.accountId }), 1);
  });

  await t.test('fields that a contact has stay as they are, including lines of its address and attributes', async () => {
    const account = testClient(app);
    const names = ['address.line1', 'address.city', 'attributes.team', 'attributes.size'];
    const form = await formOf(account, { fields: [...aForm().fields, ...names.map(aField)] });
    await account.post('/v2/contacts', { email: 'ada@example.com', address: { city: 'Berlin' }, attributes: { team: 'red' } });
    await aVisitor(app).submit(form.id, ada(Object.fromEntries(names.map((name) => [name, 'other']))));
    const { address, attributes } = await contactOf(account);
    assert.deepEqual([address.line1, address.city, attributes], ['other', 'Berlin', { team: 'red', size: 'other' }]);
  });

  await t.test('consent to sms is confirmed by email, with its wording', async () => {
    const account = testClient(app);
    const form = await formOf(account, {
      fields: [...aForm().fields, { field: 'phone', type: 'phone', label: text('Phone') }],
      consents: newsletter({ channel: 'sms', topics: [], text: text('Yes, text me.') }),
    });
    await aVisitor(app).submit(form.id, ada({ phone: '+49 30 901820' }));
    assert.deepEqual((await contactOf(account)).consent.sms.status, 'pending');
    await confirmLast(account);
    const { consent, phone } = await contactOf(account);
    assert.deepEqual([consent.sms.status, consent.sms.method, consent.email, phone], ['subscribed', 'double_opt_in', null, '+4930901820']);
    const [requested] = await confirmations(parts, account.accountId);
    assert.deepEqual([requested?.email, requested?.texts], ['ada@example.com', ['Yes, text me.']]);
  });

  await t.test('two forms that wait for one topic confirm each for itself, and either subscribes', async () => {
    for (const first of [0, 1]) {
      const account = testClient(app);
      for (const _ of [1, 2]) await aVisitor(app).submit((await formOf(account)).id, ada());
      const links = (await confirmations(parts, account.accountId)).map(({ confirm_path }) => confirm_path);
      assert.equal(links.length, 2);
      const status = async () => (await contactOf(account)).consent.topics.newsletter.email.status;
      assert.equal((await aVisitor(app).post(links[first] ?? '')).status, 200);
      assert.equal(await status(), 'subscribed');
      const { revision } = await contactOf(account);
      assert.equal((await aVisitor(app).post(links[1 - first] ?? '')).status, 200);
      assert.deepEqual([await status(), (await contactOf(account)).revision], ['subscribed', revision]);
    }
  });
});
