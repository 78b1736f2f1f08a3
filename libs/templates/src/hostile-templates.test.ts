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
