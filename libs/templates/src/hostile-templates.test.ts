import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import { checkMessage } from './check-message.ts';
import { type MessageTemplates, TemplateError } from './message.ts';
import { compileMessage, renderMessage } from './render-message.ts';

/** Size of the largest accepted template. */
const maxLength = 400_000;
const full = (piece: string) => piece.repeat(maxLength / piece.length);

/** CPU time: far more than any of them needs, and far less than quadratic algorithms would take. */
const maxMs = 5_000;

function within(name: string, work: () => void) {
  const clock = startCpuClock();
  work();
  const took = clock();
  assert.ok(took < maxMs, `${name} took ${Math.round(took)} ms`);
}

const templates = (html: string): MessageTemplates => ({ subject: 'Hi', preview_text: 'preview', html, text: 'text' });
const scope = { contact: { tags: [] }, campaign: { name: 'C' }, unsubscribe_url: 'https://mail.test/t/u' };

test('the largest hostile templates are rendered or rejected quickly', async (t) => {
  const largeOnes = {
    'tags without an end': full('<body '),
    'blank lines in a comment': `{% # a${full('\n').slice(20)}# %}`,
    'many outputs': full('{{1}}'),
    'many variables': full('{{contact.tags}}'),
    'many variables in one output': `{{ 1 ${full('| append: contact.tags ').slice(50)} }}`,
    'many tags': full('{% assign a = 1 %}'),
    'many operands': `{% if ${full('a and ').slice(50)} a %}{% endif %}`,
    'many names': `{{ contact${full('.b').slice(20)} }}`,
  };
  for (const [name, html] of Object.entries(largeOnes)) {
    await t.test(name, () =>
      within(name, () => {
        checkMessage(templates(html));
        try {
          renderMessage(compileMessage(templates(html)), scope);
        } catch (error) {
          assert.ok(error instanceof TemplateError, String(error));
        }
      }),
    );
  }
});

test('Liquid that is nested more than 50 levels deep is rejected with the limit, however deep it is', () => {
  const nested: Record<string, (levels: number) => string> = {
    expressions: (levels) => `{{ ${'contact.attributes['.repeat(levels)}"x"${']'.repeat(levels)} }}`,
    'expressions that are not closed': (levels) => `{{ ${'contact['.repeat(levels)} }}`,
    ranges: (levels) => `{% for i in ${'(1..'.repeat(levels)}1${')'.repeat(levels)} %}{% endfor %}`,
    tags: (levels) => `${'{% if contact.email %}'.repeat(levels)}${'{% endif %}'.repeat(levels)}`,
    'tags in a liquid tag': (levels) => `{% liquid\n${'if contact.email\n'.repeat(levels)}${'endif\n'.repeat(levels)}%}`,
  };
  for (const [name, source] of Object.entries(nested)) {
    for (const levels of [52, 400, 2_400, 19_000, 40_000]) {
      const html = source(levels);
      if (html.length > 2 * maxLength || (name === 'tags' && levels > 2_400)) continue;
      within(`${levels} ${name}`, () => {
        const [problem] = checkMessage(templates(html));
        assert.equal(problem?.code, 'invalid_template');
        assert.match(problem?.message ?? '', /^Liquid (tags|expressions) are nested more than 50 levels deep\./, name);
      });
    }
    const [problem] = checkMessage(templates(source(50)));
    assert.doesNotMatch(problem?.message ?? '', /nested/, name);
  }
  // Nothing of a template that failed is counted for the next one, and what is not parsed is not counted.
  const unparsed = `{% raw %}${'{% if a %}{{ a['.repeat(60)}{% endraw %}{{ "${'['.repeat(60)}" }}`;
  assert.deepEqual(checkMessage(templates(unparsed)), []);
});

test('every line of an inline comment must start with #', () => {
  const compiles = (html: string) => {
    try {
      return compileMessage(templates(html)) !== undefined;
    } catch {
      return false;
    }
  };
  assert.deepEqual(['{% # a %}', '{% # a\n # b\n\n# c %}', '{% # a\n b %}', '{% # a\n\n# b\nc %}'].map(compiles), [
    true,
    true,
    false,
    false,
  ]);
});
