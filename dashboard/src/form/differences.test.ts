import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differencesOf } from './differences.ts';

const values = { name: 'Spring', subject: 'Hi', template_id: null as string | null, from: { email: 'a@example.com', name: 'Ada' } };

test('equal versions have no differences, whatever the order of their fields', () => {
  const { name, ...rest } = structuredClone(values);
  assert.deepEqual(differencesOf(values, { ...rest, name, preview_text: '' }), []);
});

test('each value that differs is named, with both versions as text', () => {
  const other = { ...values, name: 'Summer', template_id: 'template_1', from: { email: 'b@example.com', name: 'Ada' } };
  assert.deepEqual(
    differencesOf(values, other, (id) => (id === 'template_1' ? '“Welcome”' : id)),
    [
      { field: 'Name', theirs: 'Spring', yours: 'Summer' },
      { field: 'Template', theirs: '–', yours: '“Welcome”' },
      { field: 'From: Email', theirs: 'a@example.com', yours: 'b@example.com' },
    ],
  );
});

test('no version is shown as JSON', () => {
  const theirs = {
    audience: { include: ['all', 'one'], exclude: [] },
    track: { opens: true },
    ab_test: null,
    steps: [{ id: 'wait', for: 'P1D' }],
  };
  const variants = [
    { id: 'a', weight: '50', sender: { name: '' } },
    { id: 'b', weight: '50', sender: { name: 'Ada' } },
  ];
  const yours = {
    audience: { include: ['all'], exclude: [] },
    track: { opens: false },
    ab_test: { variants },
    steps: [{ id: 'wait', for: 'P2D' }],
  };
  assert.deepEqual(
    differencesOf(theirs, yours).map((row) => Object.values(row)),
    [
      ['Audience: Include', 'all, one', 'all'],
      ['Track: Opens', 'Yes', 'No'],
      ['A/B test: Variants: A: Share (%)', '–', '50'],
      ['A/B test: Variants: B: Share (%)', '–', '50'],
      ['A/B test: Variants: B: Sender: Name', '–', 'Ada'],
      ['Steps: Wait: For', '1 day', '2 days'],
    ],
  );
});

test('an email made of blocks is compared by its text', () => {
  const email = (text: string, level = 1) => ({
    design: { editor: 'blocks', doc: { type: 'doc', content: [{ type: 'heading', attrs: { level }, content: [{ type: 'text', text }] }] } },
  });
  assert.deepEqual(differencesOf(email('Hello'), email('Hello')), []);
  assert.deepEqual(differencesOf(email('Hello'), email('Good day')), [{ field: 'Email', theirs: 'Hello', yours: 'Good day' }]);
  const [restyled] = differencesOf(email('Hello'), email('Hello', 2));
  assert.equal(restyled?.yours, 'The same text, in another layout or style');
  assert.deepEqual(differencesOf({ design: null }, email('Hello')), [{ field: 'Email', theirs: '–', yours: 'Hello' }]);
});
