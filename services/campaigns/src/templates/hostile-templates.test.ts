import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@mp/contracts/errors';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import fc from 'fast-check';
import type { MessageContent } from './message-content.ts';
import { compileMessage, renderMessage } from './render-message.ts';
import { trackedLinks, withTrackedLinks } from './tracked-links.ts';

/** The largest template that is accepted. */
const largest = 400_000;
const full = (piece: string) => piece.repeat(largest / piece.length);

/** Of computing: far more than any of them needs, and far less than what grows with the square of the size. */
const mostMs = 5_000;

function within(name: string, work: () => void) {
  const clock = startCpuClock();
  work();
  const took = clock();
  assert.ok(took < mostMs, `${name} took ${Math.round(took)} ms`);
}

const content = (html: string): MessageContent => ({
  subject: 'Hi',
  preview_text: 'preview',
  from: { email: 'a@example.com', name: null },
  reply_to: null,
  html,
  text: 'text',
  track: { opens: true, clicks: true },
});
const scope = { contact: { tags: [] }, campaign: { name: 'C' }, unsubscribe_url: 'https://mail.test/t/u' };

test('the largest templates, made to take long, do not', async (t) => {
  for (const piece of ['<a ', '<a href="x" ', ' href="', `<a href='<a href="`, '<a href = ', '<a href="https://a.b">']) {
    await t.test(`links: ${piece}`, () => within(piece, () => withTrackedLinks(`<a ${full(piece)}`)));
  }
  const templates = {
    'tags without an end': full('<body '),
    'blank lines in a comment': `{% # a${full('\n').slice(20)}# %}`,
    'many outputs': full('{{1}}'),
    'many variables': full('{{contact.tags}}'),
    'many variables in one output': `{{ 1 ${full('| append: contact.tags ').slice(50)} }}`,
    'many tags': full('{% assign a = 1 %}'),
  };
  for (const [name, html] of Object.entries(templates)) {
    await t.test(name, () =>
      within(name, () => {
        try {
          renderMessage(compileMessage(content(html)), scope, { tracked: [], pixelUrl: 'https://mail.test/t/p' });
        } catch (error) {
          assert.ok(error instanceof ApiError && error.code === 'VALIDATION_ERROR', String(error));
        }
      }),
    );
  }
});

/** What the links were found by before: right, but slow for templates that are made to be. */
const anchor = /(<a\b[^>]*?\shref\s*=\s*)(["'])(.*?)\2/gis;

test('links are found as one regular expression would find them', () => {
  const piece = fc.constantFrom(
    '<a',
    '<A',
    ' ',
    '\n',
    'href',
    'HREF',
    '=',
    '"',
    "'",
    '>',
    '<',
    'x',
    'https://a.b/',
    '{{ contact.id }}',
    '</a>',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const html = pieces.join('');
      const addresses = [...html.matchAll(anchor)].map(([, , , address = '']) => address);
      assert.deepEqual(
        trackedLinks(html),
        addresses.filter((address) => /^https?:\/\/[a-z0-9.-]+(:\d+)?([/?#]|$)/i.test(address.trim())),
      );
      let number = -1;
      const tracked = html.replace(anchor, (whole, before: string, quote: string, address: string) => {
        if (!trackedLinks(html).includes(address)) return whole;
        number += 1;
        return `${before}${quote}{{ tracked[${number}] }}${quote}`;
      });
      assert.equal(withTrackedLinks(html), tracked);
    }),
    { numRuns: 2_000 },
  );
});

test('an inline comment is one in every line', () => {
  const compiles = (html: string) => {
    try {
      return compileMessage(content(html)) !== undefined;
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
