import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mentionedIn, partsOf, suggested, typedMention } from './mention-text.ts';

const ann = { id: 'user_1', name: 'Ann' };
const anna = { id: 'user_2', name: 'Ann Arbor' };
const zoe = { id: 'user_3', name: 'Zoë' };
const users = [ann, anna, zoe];

test('a mention is typed after an @ that begins a word', () => {
  assert.deepEqual(typedMention('Hi @an', 6), { typed: 'an', at: 3 });
  assert.deepEqual(typedMention('@', 1), { typed: '', at: 0 });
  assert.equal(typedMention('ada@example.com', 15), undefined);
  assert.equal(typedMention('@an\nx', 5), undefined);
});

test('users are suggested by the beginning of any of their names', () => {
  assert.deepEqual(suggested(users, 'AR'), [anna]);
  assert.deepEqual(suggested(users, ''), users);
  assert.deepEqual(suggested(users, 'Zoë'), [], 'what is complete needs no suggestion');
});

test('the longest name in the text counts, and only as a whole word', () => {
  const named = (text: string) => mentionedIn(text, users, []).map(({ id }) => id);
  assert.deepEqual(named('@Ann Arbor, look'), ['user_2']);
  assert.deepEqual(named('@Ann look, and (@Zoë) and @Ann'), ['user_1', 'user_3']);
  assert.deepEqual(named('@Annette, ada@Zoë.example, @Nobody'), []);
  assert.deepEqual(
    partsOf('Hi @Zoë!', users).map(({ text, user }) => [text, user?.id]),
    [
      ['Hi ', undefined],
      ['@Zoë', 'user_3'],
      ['!', undefined],
    ],
  );
});

test('of two users with the same name, the chosen one is mentioned', () => {
  const other = { id: 'user_4', name: 'Ann' };
  assert.deepEqual(mentionedIn('@Ann', [...users, other], ['user_4']), [other]);
});
