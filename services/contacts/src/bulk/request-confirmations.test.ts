import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormConfirmed, FormSubmitted } from '@mp/contracts/events/contacts';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { createContact, findContact, readContact } from '../../test/contacts.ts';
import { aForm } from '../../test/forms.ts';
import { endOfJob } from '../../test/jobs.ts';
import { aVisitor, confirmations } from '../../test/visitors.ts';
import { buildApp } from '../app.ts';
import { dueAfter, pacedUntilAfter } from './request-confirmations.ts';

test('a bulk job asks contacts with a pending consent to confirm it', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const published = async ({ accountId }: Client, { subject }: { subject: string }) =>
    (await writtenEvents(parts.mongo.db, { accountId, subject })).length;
  const create = (account: Client, body: object) => account.post('/v2/contacts/bulk', { select: { filter: {} }, ...body });

  async function formOf(account: Client, body: object = {}) {
    const { status, data, text } = await account.post('/v2/contacts/forms', { ...aForm(), ...body });
    assert.equal(status, 201, text);
    return data;
  }
  /** Runs a job; its results are by contact. */
  async function request(account: Client, form: { id: string }, more: object = {}) {
    const { status, data, text } = await create(account, { action: 'request_confirmation', form_id: form.id, ...more });
    assert.equal(status, 202, text);
    const job = await endOfJob(account, `/v2/contacts/bulk/${data.id}`);
    assert.equal(job.status, 'completed', JSON.stringify(job.error));
    const lines = (await account.get(job.results_url)).text.trim().split('\n').slice(1);
    const results = new Map(lines.map((line) => line.split(',')).map(([id, is, code]) => [id, [is, code].filter(Boolean).join(' ')]));
    return { job, results };
  }
  const pending = { email: { status: 'pending' } };
  const topic = (status: string) => ({ topics: { newsletter: { email: { status } } } });

  await t.test('each is asked or left by the rules of a submission, with its reason, and a dry run says the same', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    const emails = async () => (await confirmations(parts, account.accountId)).map(({ email }) => email).sort();
    const rules: [name: string, consent: object, result: string][] = [
      ['pending', pending, 'changed'],
      ['pending-topic', { email: null, ...topic('pending') }, 'changed'],
      ['pending-topic-of-subscriber', { email: { status: 'subscribed' }, ...topic('pending') }, 'changed'],
      ['subscribed', { email: { status: 'subscribed' } }, 'unchanged subscribed'],
      ['subscribed-topic', { email: { status: 'subscribed' }, ...topic('subscribed') }, 'unchanged subscribed'],
      ['unsubscribed', { email: { status: 'unsubscribed' } }, 'unchanged unsubscribed'],
      ['unsubscribed-topic', { ...pending, ...topic('unsubscribed') }, 'unchanged unsubscribed'],
      ['unsubscribed-channel', { email: { status: 'unsubscribed' }, ...topic('pending') }, 'unchanged unsubscribed'],
      ['never-asked', { email: null }, 'unchanged no_consent'],
      ['bounced', pending, 'failed suppressed'],
    ];
    const expected = new Map<string, string>();
    for (const [name, consent, result] of rules)
      expected.set((await createContact(account, { email: `${name}@example.com`, consent })).id, result);
    expected.set((await createContact(account, { external_id: 'no-email', consent: pending })).id, 'failed no_email');
    await account.post('/v2/contacts/suppressions/batch', { suppressions: [{ email: 'bounced@example.com', reason: 'hard_bounce' }] });
    const before = await Promise.all([...expected.keys()].map((id) => readContact(account, id)));

    const dry = await request(account, form, { dry_run: true });
    assert.deepEqual([new Map([...dry.results].sort()), await emails()], [new Map([...expected].sort()), []]);
    const { job, results } = await request(account, form);
    assert.deepEqual(new Map([...results].sort()), new Map([...expected].sort()));
    assert.deepEqual(job.rows, { selected: 11, changed: 3, unchanged: 6, failed: 2 });
    assert.equal(job.form_id, form.id);
    assert.deepEqual(await emails(), ['pending-topic-of-subscriber@example.com', 'pending-topic@example.com', 'pending@example.com']);
    assert.deepEqual(await Promise.all([...expected.keys()].map((id) => readContact(account, id))), before, 'no contact changes');
    assert.equal(await published(account, FormSubmitted), 0, 'no workflow starts');
  });

  await t.test('a contact that confirms is subscribed, with the form, its wording and the job as evidence', async () => {
    const account = testClient(app);
    const consents = [{ key: 'news', channel: 'email', topics: ['newsletter'], text: { en: 'News, please.', de: 'Bitte Neues.' } }];
    const form = await formOf(account, { consents, tags: ['newsletter'] });
    const ada = await createContact(account, { email: 'ada@example.com', locale: 'de-AT', consent: pending });
    const { job } = await request(account, form, { select: { ids: [ada.id] } });
    const [requested] = await confirmations(parts, account.accountId);
    assert.deepEqual([requested?.texts, requested?.language, requested?.is_reminder], [['Bitte Neues.'], 'de', false]);
    assert.equal((await aVisitor(app).post(requested?.confirm_path ?? '')).status, 200);
    const after = await readContact(account, ada.id);
    assert.deepEqual([after.consent.topics.newsletter.email.status, after.tags], ['subscribed', ['newsletter']]);
    const [entry] = (await account.get(`/v2/contacts/${ada.id}/consent/log`)).data.items;
    const { form_id, form_version, text, source, submitted_at } = entry.evidence;
    assert.deepEqual([form_id, form_version, text, source], [form.id, 1, 'Bitte Neues.', `bulk job ${job.id}`]);
    assert.ok(submitted_at >= job.created_at);
    assert.equal(await published(account, FormConfirmed), 1);
    const { counts } = (await account.get(`/v2/contacts/forms/${form.id}/report`)).data;
    assert.deepEqual([counts.submissions, counts.awaiting_confirmation, counts.confirmations], [0, 1, 1]);
    assert.equal((await request(account, form)).results.get(ada.id), 'unchanged subscribed');
  });

  await t.test('an address gets three confirmation emails in 24 hours at most, those of submissions included', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    const ada = await createContact(account, { email: 'ada@example.com', consent: pending });
    await aVisitor(app).submit(form.id, { fields: { email: 'ada@example.com' }, consents: ['news'] });
    const results = [];
    for (const _ of [1, 2, 3, 4]) results.push((await request(account, form)).results.get(ada.id));
    assert.deepEqual(results, ['changed', 'changed', 'failed too_many_confirmations', 'failed too_many_confirmations']);
    const requested = await confirmations(parts, account.accountId);
    assert.deepEqual([requested.length, new Set(requested.map(({ opt_in_id }) => opt_in_id)).size], [3, 1]);
    await aVisitor(app).post(requested[2]?.confirm_path ?? '');
    const [entry] = (await account.get(`/v2/contacts/${ada.id}/consent/log`)).data.items;
    assert.equal(entry.evidence.source, undefined, 'the evidence is still that of the submission');
  });

  await t.test('a job does not flood the form, and its emails are spread after the first ones', async () => {
    const account = testClient(app);
    const form = await formOf(account, { limits: { confirmations_per_hour: 1 }, captcha: 'off' });
    const contacts = Array.from({ length: 120 }, (_, index) => ({ email: `p${index}@example.com`, consent: pending }));
    await account.post('/v2/contacts/batch', { contacts });
    const { job } = await request(account, form);
    assert.equal(job.rows.changed, 120);
    const due = (await confirmations(parts, account.accountId)).map(({ due_at }) => Date.parse(due_at ?? ''));
    assert.ok(Math.max(...due) >= Date.parse(job.created_at) + 1_900);
    await aVisitor(app).submit(form.id, { fields: { email: 'new@example.com' }, consents: ['news'] });
    assert.equal((await confirmations(parts, account.accountId)).length, 121, 'a visitor gets a confirmation email, too');
    assert.ok(await findContact(account, 'new@example.com'));
    const { flooded_at } = (await account.get(`/v2/contacts/forms/${form.id}`)).data;
    assert.equal(flooded_at, null);
  });

  await t.test('the emails of a job are due ten a second after the first hundred, even when it has waited', () => {
    const at = (ms: number) => new Date(ms);
    const first = { rows: { changed: 0 }, pacedUntil: null };
    assert.deepEqual(
      [0, 99, 100, 119].map((sent) => dueAfter(sent, first, at(5_000)).getTime()),
      [5_000, 5_000, 5_100, 7_000],
    );
    assert.deepEqual([pacedUntilAfter(100, first, at(5_000)), pacedUntilAfter(120, first, at(5_000))], [null, at(7_000)]);
    const next = { rows: { changed: 120 }, pacedUntil: at(7_000) };
    assert.deepEqual([dueAfter(120, next, at(5_500)), pacedUntilAfter(120, next, at(5_500))], [at(7_100), at(7_000)]);
    assert.deepEqual([dueAfter(120, next, at(90_000)), dueAfter(129, next, at(90_000))], [at(90_100), at(91_000)]);
  });

  await t.test('a contact that does not confirm in 30 days stays pending, and the link is void', async () => {
    const account = testClient(app);
    const { id, consent } = await createContact(account, { email: 'ada@example.com', consent: pending });
    await request(account, await formOf(account, { consents: [{ key: 'news', channel: 'email', text: { en: 'Yes.' } }] }));
    const optIns = parts.mongo.db.collection('opt_ins');
    await optIns.updateMany({ account_id: account.accountId }, { $set: { expires_at: new Date(0), due_at: new Date(0) } });
    await eventually(async () => (await optIns.countDocuments({ account_id: account.accountId, state: 'expired' })) === 1);
    assert.deepEqual((await readContact(account, id)).consent, consent);
    assert.equal((await aVisitor(app).post((await confirmations(parts, account.accountId))[0]?.confirm_path ?? '')).status, 404);
  });

  await t.test('refuses a form that cannot ask, and says what would be right; the list of forms says which can', async () => {
    const account = testClient(app);
    const good = await formOf(account);
    const direct = await formOf(account, { double_opt_in: { enabled: false } });
    const silent = await formOf(account, { consents: [], sender: null });
    const archived = await formOf(account);
    await account.post(`/v2/contacts/forms/${archived.id}/archive`, {});
    const foreign = await formOf(testClient(app));
    for (const [form_id, says] of [
      [archived.id, /archived; restore it/],
      [direct.id, /no double opt-in; set double_opt_in\.enabled/],
      [silent.id, /no consent to email; add one/],
      [foreign.id, /No form has this ID/],
      [newId('form'), /No form has this ID/],
      [undefined, /request_confirmation requires form_id/],
    ] as const) {
      const { status, error } = await create(account, { action: 'request_confirmation', ...(form_id !== undefined && { form_id }) });
      assert.deepEqual([status, error.details[0].path], [400, '/form_id']);
      assert.match(error.details[0].message, says);
    }
    const { items } = (await account.get('/v2/contacts/forms')).data;
    const able = items.filter(({ confirms_email }: { confirms_email: boolean }) => confirms_email);
    assert.deepEqual(
      able.map(({ id }: { id: string }) => id),
      [good.id],
    );
  });

  await t.test('a role with limits of sending can ask only for its topics and senders', async () => {
    const account = testClient(app);
    const form = await formOf(account);
    for (const [{ topics, senders }, status] of [
      [{ topics: ['newsletter'], senders: ['@shop.example'] }, 202],
      [{ topics: ['offers'], senders: null }, 403],
      [{ topics: null, senders: ['else@shop.example'] }, 403],
    ] as const) {
      const limited = account.as({
        principal_id: newId('user'),
        sending_limits: { topics: topics && [...topics], senders: senders && [...senders] },
      });
      assert.equal((await create(limited, { action: 'request_confirmation', form_id: form.id })).status, status, `${topics} ${senders}`);
    }
  });
});
