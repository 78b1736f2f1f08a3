import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftOf, type FormDraft, formOf, moved, newConsent, newDraft, newField } from './form-draft.ts';
import type { Form } from './forms.ts';
import { validateForm } from './validate-form.ts';

const form: Form = {
  id: 'form_1',
  url: 'https://forms.example.com/f/form_1',
  name: 'Newsletter',
  status: 'active',
  title: { en: 'Stay in touch', de: 'Bleiben Sie in Kontakt' },
  description: null,
  submit_label: null,
  language: 'en',
  fields: [
    { field: 'email', type: 'email', label: { en: 'Email' }, required: true, options: [] },
    {
      ...{ field: 'attributes.plan', type: 'select', label: { en: 'Plan' }, required: false },
      options: [{ value: 'pro', label: { en: 'Professional' } }],
    },
  ],
  consents: [{ key: 'email', channel: 'email', topics: ['news'], text: { en: 'Yes' }, display: 'checkbox', required: true }],
  sender: { email: 'news@example.com', name: null },
  double_opt_in: { enabled: true, template_id: null, reminder: true },
  tags: ['website'],
  segment_id: null,
  overwrite: false,
  after_submission: { kind: 'message', text: null },
  after_confirmation: { kind: 'redirect', url: 'https://example.com/thanks' },
  look: { primary: '#2563eb', background: '#f4f5f7', surface: '#ffffff', text: '#1f2933', logo_url: null, css: 'p{color:red}' },
  allowed_origins: ['https://example.com'],
  limits: { submissions_per_hour: 10, confirmations_per_hour: 5 },
  captcha: 'always',
  reject_disposable_addresses: true,
  version: 3,
  revision: 4,
  flooded_at: null,
  created_at: '2026-11-01T00:00:00.000Z',
  updated_at: '2026-11-01T00:00:00.000Z',
};

const draft = draftOf(form);
const changed = (change: Partial<FormDraft>): FormDraft => ({ ...draft, ...change });
const brand = {
  ...{ company_name: 'Example', website_url: null, logo_url: '/images/logo.png', logo_width: 120, postal_address: null, footer_text: null },
  ...{
    colors: { primary: '#112233', text: '#000000', surface: '#ffffff', background: '#eeeeee' },
    font: 'system' as const,
    social_links: [],
    revision: 1,
  },
};

test('a form that is opened and saved is unchanged, and what the builder does not show is left as it is', () => {
  const { id, url, status, limits, version, revision, flooded_at, created_at, updated_at, ...content } = form;
  const { css, ...look } = content.look;
  assert.deepEqual(formOf(draft), { ...content, look });
});

test('texts that are empty in a language are not sent; a text without any is null', () => {
  const { title, description } = formOf(changed({ title: { en: 'Hi', de: ' ' }, description: { en: '' } }));
  assert.deepEqual([title, description], [{ en: 'Hi' }, null]);
});

test('an option is stored under its first label, and keeps that value when it is renamed', () => {
  const [email, plan] = draft.fields;
  assert.ok(email && plan);
  const options = [
    { value: 'pro', label: { en: 'Renamed' } },
    { value: '', label: { en: ' Basic ' } },
  ];
  const { fields } = formOf(changed({ fields: [email, { ...plan, options }] }));
  assert.deepEqual(
    fields[1]?.options?.map(({ value }) => value),
    ['pro', 'Basic'],
  );
  const text = formOf(changed({ fields: [email, { ...plan, type: 'text', options }] }));
  assert.deepEqual(text.fields[1]?.options, [], 'options of another type are not sent');
});

test('fields are moved within the list, and no further', () => {
  assert.deepEqual(moved(['a', 'b', 'c'], 2, 0), ['c', 'a', 'b']);
  assert.deepEqual(moved(['a', 'b'], 0, -1), ['a', 'b']);
  assert.deepEqual(moved(['a', 'b'], 1, 2), ['a', 'b']);
});

test('new fields and consents have keys of their own', () => {
  const first = newField('attributes.', draft);
  const second = newField('attributes.', { ...draft, fields: [...draft.fields, first] });
  assert.notEqual(first.key, second.key);
  assert.equal(newConsent('email', draft).key, 'email-2');
  assert.equal(newConsent('sms', draft).key, 'sms');
});

test('a new form only needs a name and a sender, and has the look of the brand', () => {
  const fresh = newDraft(brand, null);
  assert.deepEqual(Object.keys(validateForm(fresh)), ['name', 'sender.email']);
  assert.deepEqual(validateForm({ ...newDraft(brand, { email: 'a@example.com', name: null, reply_to: null }), name: 'News' }), {});
  assert.deepEqual([fresh.look.primary, fresh.look.logo_url], ['#112233', '']);
});

test('every text is required in the main language of the form', () => {
  assert.deepEqual(Object.keys(validateForm(changed({ language: 'fr' }))), [
    'fields.0.label',
    'fields.1.label',
    'fields.1.options',
    'consents.0.text',
  ]);
});

test('consent to text messages needs the field Phone', () => {
  const consents = [newConsent('sms', draft)];
  assert.ok(validateForm(changed({ consents })).fields);
  assert.deepEqual(validateForm(changed({ consents, fields: [...draft.fields, newField('phone', draft)] })), {});
});
