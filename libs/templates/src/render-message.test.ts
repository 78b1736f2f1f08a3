import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { missingFields } from './fields.ts';
import { type MessageTemplates, TemplateError } from './message.ts';
import { compileMessage, readsOf, renderMessage } from './render-message.ts';

const templates = (part: Partial<MessageTemplates>): MessageTemplates => ({
  subject: 'Hi',
  preview_text: null,
  html: '<p>Hi</p>',
  text: null,
  ...part,
});
const scopeOf = (contact: object) => ({ contact, campaign: { name: 'C' }, unsubscribe_url: 'https://mail.test/t/u' });
const render = (part: Partial<MessageTemplates>, contact: object = {}) => renderMessage(compileMessage(templates(part)), scopeOf(contact));

const evil = fc.oneof(
  fc.constantFrom(
    ...['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '{{ contact.email }}', '{% include "x" %}'],
    ...["' onclick='x", '\r\nBcc: x@y.zz', '<', '&', '&lt;', '<b>', '\n'],
  ),
  fc.string(),
);

const tagsOf = (html: string) => [...html.matchAll(/<\/?([a-z]+)/gi)].map(([, tag]) => tag);

test('contact fields cannot inject HTML, headers or Liquid', () => {
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
      assert.deepEqual(tagsOf(html), ['div', 'div', 'p', 'p', 'p', 'a', 'a', 'p']);
      assert.ok(!/\p{Cc}/u.test(subject));
    }),
    { numRuns: 200 },
  );
});

test('contact fields cannot inject HTML through filters and tags that keep HTML', () => {
  const kept =
    '{% capture c %}<i>{{ contact.first_name }}</i>{% endcapture %}{{ c }}{{ c | strip | upcase }}{{ c | append: contact.last_name }}' +
    '{{ c | split: "" }}{{ c | slice: 0, 1 }}{{ c | truncate: 4, "" }}{{ contact.last_name }}' +
    '{{ contact.first_name | newline_to_br }}{{ contact.first_name | escape | default: contact.last_name }}' +
    '{{ contact.first_name | append: c }}{{ contact.last_name | prepend: c }}' +
    '{% liquid\n echo contact.first_name\n cycle contact.last_name %}{{ contact.first_name | strip_html }}{{ contact.tags }}';
  fc.assert(
    fc.property(evil, evil, (first_name, last_name) => {
      const { html } = render({ html: kept }, { first_name, last_name, tags: [first_name, last_name] });
      const allowed = new Set(['i', 'br', 'p', 'a']);
      assert.deepEqual(
        tagsOf(html)
          .map((tag = '') => tag.toLowerCase())
          .filter((tag) => !allowed.has(tag)),
        [],
      );
      assert.ok(!/<[^>]*\son/i.test(html), html);
    }),
    { numRuns: 300 },
  );
});

test('does not escape HTML twice', () => {
  const contact = { first_name: 'A&B', last_name: '<i>', attributes: { note: 'one & two\nthree' } };
  const body = (html: string) => render({ html: `${html}{% if unsubscribe_url %}{% endif %}` }, contact).html;
  const cases = [
    ['{{ contact.first_name }}', 'A&amp;B'],
    ['{{ contact.first_name | escape }}', 'A&amp;B'],
    ['{{ contact.first_name | escape | escape }}', 'A&amp;amp;B'],
    ['{{ contact.first_name | escape_once }}', 'A&amp;B'],
    ['{% assign a = contact.first_name | escape %}{{ a }}', 'A&amp;B'],
    ['{{ contact.attributes.note | newline_to_br }}', 'one &amp; two<br />\nthree'],
    ['{{ contact.attributes.note | escape | newline_to_br }}', 'one &amp; two<br />\nthree'],
    ['{% capture a %}<b>{{ contact.first_name }}</b>{% endcapture %}{{ a }}', '<b>A&amp;B</b>'],
    ['{% capture a %}<b>{{ contact.first_name }}</b>{% endcapture %}{{ a | append: contact.last_name }}', '<b>A&amp;B</b>&lt;i&gt;'],
    ['{% capture a %}  <b>x</b> {% endcapture %}{{ a | strip }}', '<b>x</b>'],
    ['{% capture a %}<b>x</b>{% endcapture %}{% if a == "<b>x</b>" %}{{ a.size }}{% endif %}', '8'],
    ['{% capture a %}{% capture b %}<b>{{ contact.first_name }}</b>{% endcapture %}{{ b }}!{% endcapture %}{{ a }}', '<b>A&amp;B</b>!'],
    ['{{ contact.last_name | default: "x" }}', '&lt;i&gt;'],
    ['{{ "<b>" }}', '&lt;b&gt;'],
  ];
  for (const [html = '', expected] of cases) assert.equal(body(html), expected, html);
});

test('limits the time, memory and output of every template', () => {
  for (const html of [
    '{% for i in (1..100000000) %}x{% endfor %}',
    '{% for i in (1..20000) %}{% for j in (1..20000) %}{% endfor %}{% endfor %}',
    `{% for i in (1..1000) %}${'y'.repeat(10_000)}{% endfor %}`,
    '{% assign a = "xxxxxxxx" %}{% for i in (1..200) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}{{ a }}',
    '{% for i in (1..100000) %}<ul><li>{% endfor %}',
    '{% for i in (1..100000) %}<br>{% endfor %}',
  ]) {
    const began = process.threadCpuUsage();
    assert.throws(() => render({ html }), TemplateError, html.slice(0, 60));
    if (!html.includes('<')) assert.throws(() => render({ html: 'x', text: html }), TemplateError, html.slice(0, 60));
    const { user, system } = process.threadCpuUsage(began);
    assert.ok(user + system < 3_000_000, html.slice(0, 60));
  }
});

test('adds the plain text, the preview text and the unsubscribe link', () => {
  const { html, text } = render(
    { html: '<body class="x"><h1>Hello</h1><p>{{ contact.first_name }} İstanbul</p></body>', preview_text: 'Look' },
    { first_name: 'A&B' },
  );
  assert.match(html, /<body class="x"><div style="display:none[^>]*>Look<\/div>/);
  assert.match(html, /href="https:\/\/mail\.test\/t\/u"[^>]*>Unsubscribe<\/a><\/p><\/body>$/);
  assert.match(text, /A&B/);
  assert.match(text, /Unsubscribe \[https:\/\/mail\.test\/t\/u\]/);
  assert.match(render({ text: 'Bye {{ contact.first_name }}' }, { first_name: 'Ada' }).text, /^Bye Ada\n\nUnsubscribe: https/);
  const own = render({ html: '<a href="{{ unsubscribe_url }}">Leave</a>' }).html;
  assert.equal([...own.matchAll(/mail\.test/g)].length, 1, 'its own link is enough');
});

test('names the fields that a contact lacks', () => {
  const message = compileMessage(
    templates({
      subject: '{{ contact.first_name }}',
      html: '{{ contact.address.city }}{{ contact.attributes["a b"] }}{{ contact.email }}',
    }),
  );
  assert.deepEqual(missingFields(readsOf(message), scopeOf({ first_name: '', email: 'a@b.co', address: { city: null } })), [
    'contact.first_name',
    'contact.address.city',
    'contact.attributes.a b',
  ]);
});

test('allows only safe schemes in rendered links', () => {
  const link = (address: string) => render({ html: '<a href="{{ contact.attributes.site }}">x</a>' }, { attributes: { site: address } });
  for (const address of ['https://a.b/?c=d:e', 'mailto:a@b.co', 'tel:+49', '#top', '/path:x', '', 'HTTP://a.b'])
    assert.ok(link(address).html);
  for (const address of [
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\nscript:x',
    '\u0001javascript:x',
    'data:text/html,x',
    'vbscript:x',
  ])
    assert.throws(
      () => link(address),
      (error) => error instanceof TemplateError && error.problem.code === 'unsafe_link',
      address,
    );
  assert.throws(() => render({ html: '<a href="java&#115;cript&colon;x">x</a>' }), /javascript:/);
  assert.ok(render({ html: '<img src="data:image/gif;base64,R0lGOD"><img src="cid:logo">' }).html);
});
