import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frameOf, htmlOf } from './embed-code.ts';
import type { Form } from './forms.ts';

const form: Pick<Form, 'title' | 'language' | 'fields' | 'consents' | 'submit_label'> = {
  title: { en: 'News & "offers"' },
  language: 'en',
  submit_label: null,
  fields: [
    { field: 'email', type: 'email', label: { en: 'Email' }, required: true, options: [] },
    { field: 'attributes.bio', type: 'textarea', label: { en: 'About <you>' }, required: false, options: [] },
    { field: 'attributes.terms', type: 'checkbox', label: { en: 'Terms' }, required: true, options: [] },
    {
      ...{ field: 'attributes.plan', type: 'select', label: { en: 'Plan' }, required: false },
      options: [{ value: '"pro"', label: { en: 'Pro' } }],
    },
  ],
  consents: [
    { key: 'email', channel: 'email', topics: [], text: { en: 'Yes' }, display: 'checkbox', required: true },
    { key: 'sms', channel: 'sms', topics: [], text: { en: 'By submitting' }, display: 'notice', required: false },
  ],
};
const url = 'https://mail.example.com/f/form_1';

test('the frame names the form and has its page', () => {
  assert.match(frameOf(form, url), /^<iframe src="https:\/\/mail\.example\.com\/f\/form_1" title="News &amp; &quot;offers&quot;" /);
});

test('the plain HTML sends every field and consent to the page of the form, and no text of it is markup', () => {
  const html = htmlOf(form, url);
  assert.match(html, /^<form method="post" action="https:\/\/mail\.example\.com\/f\/form_1">/);
  for (const part of [
    '<label>Email <input type="email" name="email" required autocomplete="email"></label>',
    '<label>About &lt;you&gt; <textarea name="attributes.bio"></textarea></label>',
    '<label><input type="checkbox" name="attributes.terms" required> Terms</label>',
    '<option value="&quot;pro&quot;">Pro</option>',
    '<label><input type="checkbox" name="consent" value="email" required> Yes</label>',
    '<p>By submitting</p>',
    '<button type="submit">Submit</button>',
  ])
    assert.ok(html.includes(part), `${part} in\n${html}`);
  assert.ok(html.includes('name="website"'), 'robots fill in the field that people do not see');
});
