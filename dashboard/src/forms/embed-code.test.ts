import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Display, fetchOf, htmlOf, tagOf } from './embed-code.ts';
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

test('the tag names the form; in the page, it has a frame for browsers without JavaScript', () => {
  const tag = (display: Display) => tagOf({ ...form, id: 'form_1' }, url, { display, occasion: 'scroll' });
  assert.match(tag('inline'), /^<script async src="https:\/\/mail\.example\.com\/f\/embed\.js" data-form="form_1"><\/script>\n<noscript>/);
  assert.match(tag('inline'), /<iframe src="https:\/\/mail\.example\.com\/f\/form_1\?embed=1" title="News &amp; &quot;offers&quot;" /);
  assert.match(tag('popup'), /data-form="form_1" data-display="popup" data-scroll="50"><\/script>$/);
});

test('the call of fetch has every field, and the keys of the consents that are ticked', () => {
  const code = fetchOf(form, url);
  assert.match(code, /fetch\('https:\/\/mail\.example\.com\/f\/form_1\/submissions'/);
  for (const part of ['"attributes.bio": "…"', '"attributes.terms": true', '"consents": [\n      "email"\n    ]'])
    assert.ok(code.includes(part), code);
  assert.ok(code.includes("'https://mail.example.com/f/proof.js'") && code.includes("solve('https://mail.example.com/f/form_1')"), code);
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
