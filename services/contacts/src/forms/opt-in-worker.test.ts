import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountChanged } from '@mp/contracts/events/platform';
import { SegmentMembersAdd } from '@mp/contracts/requests/segments';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { aForm } from '../../test/forms.ts';
import { publishEvent } from '../../test/publish-event.ts';
import { aVisitor, confirmations } from '../../test/visitors.ts';
import { buildApp } from '../app.ts';
import type { OptInDocument } from './opt-ins-store.ts';

const path = '/v2/contacts/forms';

test('what follows a submission later', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const optIns = parts.mongo.db.collection<OptInDocument>('opt_ins');
  const company = { field: 'company', type: 'text', label: { en: 'Company' } };
  const ada = { fields: { email: 'ada@example.com' }, consents: ['news'] };

  async function formOf(account: Client, body: object = {}) {
    const { status, data, text } = await account.post(path, { ...aForm(), ...body });
    assert.equal(status, 201, text);
    return data;
  }
  const contactOf = async (account: Client) => (await account.get('/v2/contacts?email=ada@example.com')).data.items[0];
  const requestOf = (account: Client) => optIns.findOne({ account_id: account.accountId });
  /** As if the time of the request had come. */
  const pass = (account: Client, name: 'remind_at' | 'expires_at') => {
    const past = new Date(Date.now() - 1_000);
    return optIns.updateMany({ account_id: account.accountId, state: 'open' }, { $set: { [name]: past, due_at: past } });
  };

  await t.test('a reminder is sent once, and not after the confirmation', async () => {
    const [waiting, confirmed] = [testClient(app), testClient(app)];
    for (const account of [waiting, confirmed]) {
      await aVisitor(app).submit((await formOf(account, { double_opt_in: { reminder: true } })).id, ada);
      assert.ok((await requestOf(account))?.remind_at);
    }
    await aVisitor(app).post((await confirmations(parts, confirmed.accountId))[0]?.confirm_path ?? '');
    for (const account of [waiting, confirmed]) await pass(account, 'remind_at');
    await eventually(async () => (await confirmations(parts, waiting.accountId)).length === 2);
    const [first, reminder] = await confirmations(parts, waiting.accountId);
    assert.deepEqual([first?.is_reminder, reminder?.is_reminder], [false, true]);
    assert.equal((await requestOf(waiting))?.remind_at, undefined);
    await aVisitor(app).post(reminder?.confirm_path ?? '');
    assert.equal((await contactOf(waiting)).consent.topics.newsletter.email.status, 'subscribed');
    assert.equal((await confirmations(parts, confirmed.accountId)).length, 1);
  });

  await t.test('a contact that got no confirmation email, such as in a flood, gets no reminder', async () => {
    const account = testClient(app);
    const form = await formOf(account, { double_opt_in: { reminder: true }, limits: { confirmations_per_hour: 1 }, captcha: 'off' });
    for (const email of ['first@example.com', 'ada@example.com']) await aVisitor(app).submit(form.id, { ...ada, fields: { email } });
    assert.equal((await confirmations(parts, account.accountId)).length, 1);
    await pass(account, 'remind_at');
    await eventually(async () => (await optIns.countDocuments({ account_id: account.accountId, remind_at: { $exists: true } })) === 0);
    const confirmed = (await confirmations(parts, account.accountId)).map(({ email, is_reminder }) => [email, is_reminder]);
    assert.deepEqual(confirmed, [
      ['first@example.com', false],
      ['first@example.com', true],
    ]);
  });

  await t.test('a request has one reminder, even if the form is submitted again after it', async () => {
    const account = testClient(app);
    const form = await formOf(account, { double_opt_in: { reminder: true } });
    await aVisitor(app).submit(form.id, ada);
    await pass(account, 'remind_at');
    await eventually(async () => (await confirmations(parts, account.accountId)).length === 2);
    await aVisitor(app).submit(form.id, ada);
    assert.equal((await confirmations(parts, account.accountId)).length, 3);
    const { remind_at, due_at, expires_at } = (await requestOf(account)) ?? {};
    assert.deepEqual([remind_at, due_at], [undefined, expires_at]);
  });

  await t.test('a contact that has subscribed or unsubscribed since the submission gets no reminder', async () => {
    const [byForm, left] = [testClient(app), testClient(app)];
    const optedIn = { double_opt_in: { reminder: true } };
    for (const account of [byForm, left]) await aVisitor(app).submit((await formOf(account, optedIn)).id, ada);
    await aVisitor(app).submit((await formOf(byForm)).id, ada);
    await aVisitor(app).post((await confirmations(parts, byForm.accountId))[1]?.confirm_path ?? '');
    const { id } = await contactOf(left);
    await left.put(`/v2/contacts/${id}`, { consent: { email: { status: 'unsubscribed' }, topics: { newsletter: null } } });
    const returning = testClient(app);
    await returning.post('/v2/contacts', { email: 'ada@example.com', consent: { email: { status: 'unsubscribed' } } });
    await aVisitor(app).submit((await formOf(returning, optedIn)).id, ada);
    for (const account of [byForm, left, returning]) await pass(account, 'remind_at');
    await eventually(async () => (await optIns.countDocuments({ due_at: { $lte: new Date() } })) === 0);
    const reminders = async ({ accountId }: Client) =>
      (await confirmations(parts, accountId)).filter(({ is_reminder }) => is_reminder).length;
    assert.deepEqual([await reminders(byForm), await reminders(left), await reminders(returning)], [0, 0, 1]);
  });

  await t.test('a contact of the account that a form was merged into stays, with its consent log', async () => {
    const account = testClient(app);
    const form = await formOf(account, { fields: [...aForm().fields, company] });
    const { data: own } = await account.post('/v2/contacts', { first_name: 'Ada', external_id: '7' });
    await aVisitor(app).submit(form.id, ada);
    await aVisitor(app).submit(form.id, { ...ada, fields: { ...ada.fields, company: 'Engines' } });
    const { id, revision } = await contactOf(account);
    assert.equal((await account.post(`/v2/contacts/${own.id}/merge`, { source_id: id })).data.contact.revision, revision);
    await pass(account, 'expires_at');
    await eventually(async () => (await optIns.countDocuments({ account_id: account.accountId, state: 'open' })) === 0);
    const { status, data } = await account.get(`/v2/contacts/${own.id}`);
    assert.deepEqual([status, data.first_name, data.consent.topics], [200, 'Ada', undefined]);
    assert.ok((await account.get(`/v2/contacts/${own.id}/consent/log`)).data.items.length > 0);
  });

  await t.test(
    'an unconfirmed contact that exists only because of a form is removed with all that the form left; its link is void',
    async () => {
      const account = testClient(app);
      await aVisitor(app).submit((await formOf(account)).id, ada);
      const { id } = await contactOf(account);
      await pass(account, 'expires_at');
      await eventually(async () => (await account.get(`/v2/contacts/${id}`)).status === 404);
      for (const name of ['opt_ins', 'form_submissions', 'consent_log'])
        assert.equal(await parts.mongo.db.collection(name).countDocuments({ account_id: account.accountId }), 0, name);
      assert.equal((await aVisitor(app).post((await confirmations(parts, account.accountId))[0]?.confirm_path ?? '')).status, 404);
    },
  );

  await t.test('a contact that the account knows otherwise stays, and loses only what was pending', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    const changed = testClient(app);
    await account.post('/v2/contacts', { email: 'ada@example.com', first_name: 'Ada', consent: { email: null } });
    await aVisitor(app).submit(form.id, ada);
    const again = (await formOf(changed, { fields: [...aForm().fields, company] })).id;
    await aVisitor(app).submit(again, ada);
    await changed.put(`/v2/contacts/${(await contactOf(changed)).id}`, { first_name: 'Ada' });
    await aVisitor(app).submit(again, { ...ada, fields: { ...ada.fields, company: 'Engines' } });
    for (const one of [account, changed]) {
      await pass(one, 'expires_at');
      await eventually(async () => (await requestOf(one))?.state !== 'open');
      const contact = await contactOf(one);
      assert.deepEqual([contact?.first_name, contact?.consent.topics], ['Ada', undefined]);
      assert.equal((await requestOf(one))?.state, 'expired');
    }
  });

  await t.test('a contact is added to the static segment once it has confirmed, as soon as segments replies', async () => {
    const account = testClient(app);
    const segment_id = newId('segment');
    const recipients: string[] = [];
    let known = false;
    await parts.broker.reply(SegmentMembersAdd, async ({ segment_id: to, contact_ids, dry_run }) => {
      if (!dry_run) recipients.push(...contact_ids.map((id) => `${to} ${id} ${known}`));
      return {
        refused: null,
        items: contact_ids.map((contact_id) => ({ contact_id, status: known ? ('added' as const) : ('not_found' as const) })),
      };
    });
    await aVisitor(app).submit((await formOf(account, { segment_id })).id, ada);
    const { id } = await contactOf(account);
    assert.equal(recipients.length, 0);
    await aVisitor(app).post((await confirmations(parts, account.accountId))[0]?.confirm_path ?? '');
    await eventually(async () => recipients.includes(`${segment_id} ${id} false`));
    known = true;
    await eventually(async () => recipients.includes(`${segment_id} ${id} true`));
    await eventually(
      async () => (await parts.mongo.db.collection('form_additions').countDocuments({ account_id: account.accountId })) === 0,
    );
  });

  await t.test('a suspended account accepts no submission and no confirmation, and an erasure removes the evidence', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    await aVisitor(app).submit(form.id, ada);
    const link = (await confirmations(parts, account.accountId))[0]?.confirm_path ?? '';
    const set = (status: 'active' | 'suspended', revision: number) =>
      publishEvent(parts, account.accountId, { event: AccountChanged, data: { account_id: account.accountId, status, revision } });
    await set('suspended', 2);
    await eventually(async () => (await aVisitor(app).get(`/f/${form.id}`)).status === 404);
    assert.deepEqual([(await aVisitor(app).submit(form.id, ada)).status, (await aVisitor(app).post(link)).status], [404, 404]);
    await set('active', 3);
    await eventually(async () => (await aVisitor(app).get(`/f/${form.id}`)).status === 200);
    const { id } = await contactOf(account);
    assert.equal((await account.as({ permission: 'admin' }).post(`/v2/contacts/${id}/erase`)).status, 202);
    await eventually(async () => (await optIns.countDocuments({ account_id: account.accountId })) === 0);
    await eventually(
      async () => (await parts.mongo.db.collection('form_submissions').countDocuments({ account_id: account.accountId })) === 0,
    );
    assert.equal((await aVisitor(app).post(link)).status, 404);
  });
});
