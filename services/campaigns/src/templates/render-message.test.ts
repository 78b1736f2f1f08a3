import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import fc from 'fast-check';
import { TemplateError } from './liquid.ts';
import type { MessageContent } from './message-content.ts';
import { compileMessage, renderMessage } from './render-message.ts';
import { missingFields } from './template-fields.ts';
import { targetOf, trackedLinks } from './tracked-links.ts';

const content = (part: Partial<MessageContent>): MessageContent => ({
  subject: 'Hi',
  preview_text: null,
  from: { email: 'a@example.com', name: null },
  reply_to: null,
  html: '<p>Hi</p>',
  text: null,
  track: { opens: true, clicks: true },
  ...part,
});
const scopeOf = (contact: object) => ({ contact, campaign: { name: 'C' }, unsubscribe_url: 'https://mail.test/t/u' });
const render = (part: Partial<MessageContent>, contact: object = {}) => renderMessage(compileMessage(content(part)), scopeOf(contact));

test('whatever a contact is called, it is inert', () => {
  const evil = fc.oneof(
    fc.constantFrom(
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      '{{ contact.email }}',
      '{% include "x" %}',
      "' onclick='x",
      '\r\nBcc: x@y.zz',
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(evil, evil, (first_name, city) => {
      const { html, subject } = render(
        {
          html: '<p title="{{ contact.first_name }}">[{{ contact.address.city }}]</p>',
          subject: '{{ contact.first_name }}',
          preview_text: '{{ contact.address.city }}',
        },
        { first_name, address: { city } },
      );
      assert.deepEqual(
        [...html.matchAll(/<\/?([a-z]+)/g)].map(([, tag]) => tag),
        ['div', 'div', 'p', 'p', 'p', 'a', 'a', 'p'],
      );
      assert.ok(!/\p{Cc}/u.test(subject));
    }),
    { numRuns: 200 },
  );
});

test('no template runs away with time, memory or output', () => {
  for (const html of [
    '{% for i in (1..100000000) %}x{% endfor %}',
    '{% for i in (1..20000) %}{% for j in (1..20000) %}{% endfor %}{% endfor %}',
    `{% for i in (1..1000) %}${'y'.repeat(10_000)}{% endfor %}`,
    '{% assign a = "xxxxxxxx" %}{% for i in (1..200) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}{{ a }}',
  ]) {
    const clock = startCpuClock();
    assert.throws(() => render({ html }), TemplateError);
    assert.throws(() => render({ html: 'x', text: html }), TemplateError);
    assert.ok(clock() < 3_000, html.slice(0, 60));
  }
});

test('the plain text, the preview and the way out are there without being asked for', () => {
  const { html, text } = render(
    { html: '<body class="x"><h1>Hello</h1><p>{{ contact.first_name }}</p></body>', preview_text: 'Look' },
    { first_name: 'A&B' },
  );
  assert.match(html, /<body class="x"><div style="display:none[^>]*>Look<\/div>/);
  assert.match(html, /href="https:\/\/mail\.test\/t\/u"/);
  assert.match(text, /A&B/);
  assert.match(text, /Unsubscribe \[https:\/\/mail\.test\/t\/u\]/);
  assert.match(render({ text: 'Bye {{ contact.first_name }}' }, { first_name: 'Ada' }).text, /^Bye Ada\n\nUnsubscribe: https/);
  const own = render({ html: '<a href="{{ unsubscribe_url }}">Leave</a>' }).html;
  assert.equal([...own.matchAll(/mail\.test/g)].length, 1, 'its own link is enough');
});

test('links lead through us only when their host is the template’s own', () => {
  const html =
    '<a href="https://example.com/a?b=1&amp;c=2">1</a> <A class=x HREF=\'https://example.com/{{ contact.first_name | url_encode }}\'>2</a>' +
    '<a href="{{ contact.attributes.site }}">3</a><a href="https://{{ contact.attributes.host }}/x">4</a><a href="mailto:a@b.co">5</a><a href="#top">6</a><a href="javascript:alert(1)">7</a>';
  assert.equal(trackedLinks(html).length, 2);
  const scope = scopeOf({ first_name: '../@evil.example', attributes: { site: 'https://evil.example', host: 'evil.example' } });
  assert.equal(targetOf(html, 0, scope), 'https://example.com/a?b=1&c=2');
  assert.equal(new URL(targetOf(html, 1, scope) ?? '').host, 'example.com');
  assert.equal(targetOf(html, 2, scope), undefined);
  const mailed = renderMessage(compileMessage(content({ html })), scope, {
    tracked: ['https://m/1', 'https://m/2'],
    pixelUrl: 'https://m/o',
  }).html;
  assert.deepEqual(
    [...mailed.matchAll(/https:\/\/m\/\w/g)].map(([url]) => url),
    ['https://m/1', 'https://m/2', 'https://m/o'],
  );
});

test('what a contact lacks is named', () => {
  const { subject, html } = compileMessage(
    content({ subject: '{{ contact.first_name }}', html: '{{ contact.address.city }}{{ contact.attributes["a b"] }}{{ contact.email }}' }),
  );
  assert.deepEqual(missingFields([subject, html], scopeOf({ first_name: '', email: 'a@b.co', address: { city: null } })), [
    'contact.first_name',
    'contact.address.city',
    'contact.attributes.a b',
  ]);
});
