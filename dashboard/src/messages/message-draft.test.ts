import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MessageDraft, messageOf, missingIn } from './message-draft.ts';

const draft: MessageDraft = { kind: 'text', from: 'shop@example.com', subject: ' Your order ', text: 'It is on its way.', template_id: '' };
const usual = { email: 'shop@example.com', name: 'Shop', reply_to: 'help@example.com' };

test('an email has what was written or a template, and the name of the default sender only with its address', () => {
  assert.deepEqual(messageOf(draft, usual), {
    from: { email: 'shop@example.com', name: 'Shop' },
    reply_to: 'help@example.com',
    category: 'transactional',
    content: { subject: 'Your order', text: 'It is on its way.' },
  });
  assert.deepEqual(messageOf({ ...draft, kind: 'template', from: 'ada@example.com', template_id: 'template_1' }, usual), {
    from: { email: 'ada@example.com', name: null },
    category: 'transactional',
    template_id: 'template_1',
  });
});

test('only what the chosen kind of email needs is missing', () => {
  const missing = (change: Partial<MessageDraft>) =>
    Object.entries(missingIn({ ...draft, ...change })).flatMap(([name, error]) => (error === null ? [] : [name]));
  assert.deepEqual(missing({}), []);
  assert.deepEqual(missing({ from: ' ', subject: '', text: '' }), ['from', 'subject', 'text']);
  assert.deepEqual(missing({ kind: 'template', subject: '' }), ['template_id']);
});
