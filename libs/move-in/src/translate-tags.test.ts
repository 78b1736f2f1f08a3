import assert from 'node:assert/strict';
import { test } from 'node:test';
import { translateTemplate as klaviyo } from './klaviyo/mapper.ts';
import { translateTemplate as listmonk } from './listmonk/mapper.ts';
import { translateTemplate } from './mailchimp/mapper.ts';

const fields = [
  { merge_id: 1, tag: 'FNAME' },
  { merge_id: 5, tag: 'SHOESIZE' },
];
const mailchimp = (html: string) => translateTemplate(html, fields);

const cases: [string, (html: string) => { text: string; untranslated: string[] }, [string, string][]][] = [
  [
    'Mailchimp',
    mailchimp,
    [
      ['*|FNAME|* *|MERGE1|* *|MERGE0|*', '{{ contact.first_name }} {{ contact.first_name }} {{ contact.email }}'],
      ['*|SHOESIZE|* *|UPPER:LNAME|*', '{{ contact.attributes.shoesize }} {{ contact.last_name | upcase }}'],
      ['<a href="*|UNSUB|*">Leave</a>', '<a href="{{ unsubscribe_url }}">Leave</a>'],
      ['<a href="*%7CUNSUB%7C*">*%7cUPPER%3ALNAME%7c*</a>', '<a href="{{ unsubscribe_url }}">{{ contact.last_name | upcase }}</a>'],
      ['*|IF:FNAME|*Hi*|ELSE:|*Hello*|END:IF|*', '{% if contact.first_name %}Hi{% else %}Hello{% endif %}'],
      ['{{ 5 }} {% x %}', '{{ "{" }}{ 5 }} {{ "{" }}% x %}'],
    ],
  ],
  [
    'Klaviyo',
    klaviyo,
    [
      ['{{ person.first_name }} {{ first_name|default:"you" }}', '{{ contact.first_name }} {{ contact.first_name | default: "you" }}'],
      ["{{ first_name|title|default:'' }}", '{{ contact.first_name | capitalize }}'],
      ['{{ person|lookup:"Shoe size" }} {{ person.plan }}', '{{ contact.attributes.shoe_size }} {{ contact.attributes.plan }}'],
      [
        "{% unsubscribe %} {% unsubscribe 'Bye <b>' %}",
        '<a href="{{ unsubscribe_url }}">Unsubscribe</a> <a href="{{ unsubscribe_url }}">Bye &lt;b&gt;</a>',
      ],
      ['{% if person.first_name %}a{% else %}b{% endif %}', '{% if contact.first_name %}a{% else %}b{% endif %}'],
      ['a{% comment "why" %}{% if x %}internal{% endcomment %}b{# for {{ us }} #}c{% comment %}{% endcomment %}', 'abc'],
      ['<a href="{% unsubscribe_link %}">', '<a href="{{ unsubscribe_url }}">'],
    ],
  ],
  [
    'listmonk',
    listmonk,
    [
      ['{{ .Subscriber.FirstName }} {{.Subscriber.Attribs.city}}', '{{ contact.first_name }} {{ contact.attributes.city }}'],
      ['{{ UnsubscribeURL }} {{ UnsubscribeURL . }}{{ TrackView }}', '{{ unsubscribe_url }} {{ unsubscribe_url }}'],
      ['{{ TrackLink "https://example.com/a" . }} https://example.com/b@TrackLink', 'https://example.com/a https://example.com/b'],
      ['{{ if .Subscriber.FirstName }}a{{ else }}b{{ end }}', '{% if contact.first_name %}a{% else %}b{% endif %}'],
    ],
  ],
];

for (const [title, translate, pairs] of cases)
  test(`${title}: merge tags become Liquid`, () => {
    for (const [theirs, ours] of pairs) assert.deepEqual(translate(theirs), { text: ours, untranslated: [] });
  });

test('a tag without an equal is removed and listed; of a condition, the content stays', () => {
  assert.deepEqual(mailchimp('a*|LIST:COMPANY|*b*|IF:SECRET|*c*|END:IF|*'), {
    text: 'abc',
    untranslated: ['*|LIST:COMPANY|*', '*|IF:SECRET|*'],
  });
  assert.deepEqual(klaviyo('{% for item in event.items %}{{ item.name }}{% endfor %}{{ organization.name }}'), {
    text: '',
    untranslated: ['{% for item in event.items %}', '{{ item.name }}', '{{ organization.name }}'],
  });
  assert.deepEqual(listmonk('{{ template "content" . }}{{ range .X }}x{{ end }}'), {
    text: 'x',
    untranslated: ['{{ template "content" . }}', '{{ range .X }}'],
  });
});

test('what stays as text and looks like a tag is listed', () => {
  const long = 'x'.repeat(400);
  assert.deepEqual(mailchimp(`a *|FNAME*|*\n*%7C${long}%7C*`).untranslated, ['*|FNAME*|*', `*%7C${'x'.repeat(58)}`]);
  assert.deepEqual(klaviyo('{{ first_name|default:"{you}" }}{% comment %}').untranslated, [
    '{{ first_name|default:"{you}" }}',
    '{% comment %}',
  ]);
  assert.deepEqual(listmonk(`{{ ${long} }}`).untranslated, [`{{ ${'x'.repeat(57)}`]);
});

test('blocks that never end, or never began, leave complete Liquid', () => {
  assert.equal(mailchimp('*|IF:FNAME|*a').text, '{% if contact.first_name %}a{% endif %}');
  assert.equal(mailchimp('a*|END:IF|**|ELSE:|*').text, 'a');
});
