import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMessage } from './check-message.ts';
import type { MessageTemplates } from './message.ts';
import { problemError } from './problem-error.ts';

const check = (part: Partial<MessageTemplates>) =>
  checkMessage({ subject: 'Hi', preview_text: null, html: '<p>Hi</p>', text: null, ...part });

test('reports each problem with its part, line and column', () => {
  const found = (part: Partial<MessageTemplates>) => check(part).map(({ path, line, column, code }) => [path, line, column, code]);
  assert.deepEqual(found({}), []);
  assert.deepEqual(found({ html: '<p>\n  {{ contact.first_nam }}</p>\n{{ x }}' }), [
    ['/html', 2, 6, 'unknown_field'],
    ['/html', 3, 4, 'unknown_field'],
  ]);
  assert.deepEqual(found({ subject: '{% if contact.email %}', text: 'a\nb {{ contact.email | nope }}' }), [
    ['/subject', 1, 1, 'invalid_template'],
    ['/text', 2, 3, 'invalid_template'],
  ]);
  assert.deepEqual(found({ html: '<p>\n<a href="javascript:alert(1)">x</a></p>' }), [['/html', 2, 1, 'unsafe_link']]);
  assert.deepEqual(found({ html: '<a href="{{ contact.attributes.site }}">x</a><a href="https://{{ contact.id }}:8080/">' }), []);
});

test('names the field, tag or filter that may be meant, including for merge tags of other systems', () => {
  const said = (html: string) => check({ html })[0]?.message ?? '';
  assert.match(said('{{ contact.firstname }}'), /^Unknown field contact\.firstname\. Did you mean contact\.first_name\? Use one of/);
  assert.match(said('{{ first_name }}'), /Did you mean contact\.first_name\?/);
  assert.match(said('{{ subscriber.email }}'), /Did you mean contact\.email\?/);
  assert.match(said('{{ contact.city }}'), /If it is an attribute, use contact\.attributes\.city\./);
  assert.match(said('{{ unsubscribe }}'), /^Unknown field unsubscribe\./);
  assert.match(said('<p>*|FNAME|*</p>'), /^\*\|FNAME\|\* is a merge tag of another system.*Use {{ contact\.first_name }}\.$/);
  assert.match(said('*|IF:LNAME|*'), /Use {% if contact\.last_name %}…{% endif %}\.$/);
  assert.match(said('*|PLAN|*'), /Use {{ contact\.<field> }}\.$/);
  assert.match(
    said('{{#if contact.email}}a{{/if}}'),
    /col:3\. This is Handlebars; in Liquid, write {% if contact\.email %}…{% endif %}\.$/,
  );
  assert.match(said('{{#each contact.tags}}'), /write {% for item in contact\.tags %}…{% endfor %}\.$/);
  assert.match(said('{{{ contact.email }}}'), /Use {{ … }} with two braces/);
  assert.match(said('{% iff contact.email %}'), /tag "iff" not found.*\. Did you mean "if"\?$/);
  assert.match(said('{{ contact.email | upcas }}'), /undefined filter: upcas.* Did you mean "upcase"\?$/);
  assert.deepEqual(
    check({ html: '<p>\n *|EMAIL|*</p>' }).map(({ line, column, code }) => [line, column, code]),
    [[2, 2, 'unknown_field']],
  );
  assert.deepEqual(check({ html: 'a *|b|* and 2 *|| 3' }), [], 'other text');
});

test('an error response has one detail per problem', () => {
  const error = problemError(check({ html: '{{ a }}\n{{ b }}' }), '/message');
  assert.deepEqual(
    error?.details?.map(({ path, code, line, column }) => [path, code, line, column]),
    [
      ['/message/html', 'unknown_field', 1, 4],
      ['/message/html', 'unknown_field', 2, 4],
    ],
  );
  assert.match(error?.message ?? '', /^\/message\/html: Unknown field a\. Use one of contact\.id, /);
  assert.equal(problemError([]), undefined);
});
