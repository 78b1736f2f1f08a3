import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentVariant } from './sent-variant.ts';

const step = { id: 'mail', type: 'send' as const, subject: 'Hi', html: '<p>Hi</p>', text: 'Hi', from: { email: 'a@example.com' } };
const variants = [
  { name: 'A', weight: 50 },
  { name: 'B', weight: 25, subject: 'Hello' },
  { name: 'C', weight: 25, template_id: 'template_1' },
];

test('a step without variants sent its own email', () => {
  assert.deepEqual(sentVariant(step, 'mail: Done.'), step);
});

test('the email is that of the variant that the log names', () => {
  const sent = (name: string) => sentVariant({ ...step, variants }, `mail: Done: the variant "${name}" was sent.`);
  assert.deepEqual(sent('A'), { ...step, variant: 'A' });
  assert.deepEqual(sent('B'), { ...step, subject: 'Hello', variant: 'B' });
  const { html: _, text: __, ...rest } = step;
  assert.deepEqual(sent('C'), { ...rest, template_id: 'template_1', variant: 'C' });
});
