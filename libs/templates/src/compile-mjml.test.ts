import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '@mp/ids';
import { createTemplates } from './templates.ts';

const templates = createTemplates();
after(templates.stop);

const accountId = newId('account');
const inColumn = (content: string) => `<mjml><mj-body><mj-section><mj-column>\n${content}\n</mj-column></mj-section></mj-body></mjml>`;
const compile = (mjml: string) => templates.compileMjml({ accountId, mjml });

test('MJML is compiled to HTML that keeps its Liquid and loads nothing', async () => {
  const { html } = await compile(
    inColumn('<mj-button href="https://example.com/{{ contact.id }}?a=1">Hi {{ contact.first_name }}</mj-button>'),
  );
  assert.match(html ?? '', /href="https:\/\/example\.com\/\{\{ contact\.id \}\}\?a=1"/);
  assert.match(html ?? '', /Hi \{\{ contact\.first_name \}\}/);
  assert.doesNotMatch(html ?? '', /fonts\.googleapis/);
});

test('MJML that is nested too deeply is rejected with the limit', async () => {
  const nested = (levels: number) => `<mjml><mj-body>${'<mj-wrapper>'.repeat(levels)}${'</mj-wrapper>'.repeat(levels)}</mj-body></mjml>`;
  for (const levels of [49, 1_500]) {
    const { problems } = await compile(nested(levels));
    assert.deepEqual(
      problems.map(({ code, message }) => [code, message]),
      [['invalid_mjml', 'The elements of the MJML are nested more than 50 levels deep.']],
    );
  }
  const { problems } = await compile(nested(48));
  assert.match(problems[0]?.message ?? '', /mj-wrapper cannot be used inside mj-wrapper/);
  const { html } = await compile(inColumn(`<mj-text>${'<br>'.repeat(60)}${'<div>'.repeat(60)}${'</div>'.repeat(60)}</mj-text>`));
  assert.ok(html);
});

test('problems of MJML and of its Liquid have the line and column in the MJML', async () => {
  const wrong: [string, string, number | null, number | null, RegExp][] = [
    [inColumn('  <mj-txt>Hi</mj-txt>'), 'invalid_mjml', 2, 3, /mj-txt/],
    [inColumn('<mj-include path="/etc/passwd" />'), 'invalid_mjml', 2, 1, /mj-include/],
    [inColumn('<mj-text>{{ contact.nam }}</mj-text>'), 'unknown_field', 2, 13, /contact\.nam/],
    [inColumn('<mj-button href="javascript:x">Go</mj-button>'), 'unsafe_link', 2, 1, /javascript/],
    ['<p>Hi</p>', 'invalid_mjml', null, null, /mjml/i],
    ['', 'invalid_mjml', null, null, /MJML|mjml/],
  ];
  for (const [mjml, code, line, column, message] of wrong) {
    const { html, problems } = await compile(mjml);
    assert.equal(html, null, mjml);
    assert.deepEqual([problems[0]?.path, problems[0]?.code, problems[0]?.line, problems[0]?.column], ['/mjml', code, line, column], mjml);
    assert.match(problems[0]?.message ?? '', message);
    assert.ok(!problems[0]?.message.includes(process.cwd()));
  }
});

test('MJML that is too large or compiles to HTML that is too large is reported as a problem', async () => {
  assert.match(
    (await compile(inColumn('<mj-text>Hi</mj-text>'.repeat(6_000)))).problems[0]?.message ?? '',
    /6\d\d\d elements; the maximum is 5000/,
  );
  const sections = '<mj-section><mj-column><mj-text>Hi</mj-text></mj-column></mj-section>'.repeat(600);
  assert.match(
    (await compile(`<mjml><mj-body>${sections}</mj-body></mjml>`)).problems[0]?.message ?? '',
    /characters; the maximum is 400000/,
  );
});

test('a message without HTML has only text, with an unsubscribe line', async () => {
  const scope = { contact: { first_name: 'Ada' }, campaign: { name: '' }, unsubscribe_url: 'https://example.com/u' };
  const message = { subject: 'Hi', preview_text: null, html: '', text: 'Hi {{ contact.first_name }}' };
  const rendered = await templates.render({ accountId, templates: message, scope });
  assert.deepEqual([rendered.html, rendered.text], ['', 'Hi Ada\n\nUnsubscribe: https://example.com/u\n']);
});
