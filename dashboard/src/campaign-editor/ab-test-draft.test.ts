import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abTestDraftOf, abTestErrors, abTestOf, newAbTest, withoutVariant, withVariant } from './ab-test-draft.ts';

const variant = { id: 'a', weight: 50, subject: 'Spring', preview_text: null, from: null, html: null, text: null, delay_minutes: 0 };
const stored = {
  variants: [
    variant,
    { ...variant, id: 'b', subject: null, from: { email: 'other@example.com', name: null }, html: '<p>Hi</p>', delay_minutes: 100 },
  ],
  ...{ sample_percent: 20, metric: 'revenue' as const, currency: 'EUR', selection: 'manual' as const, duration_minutes: 7 },
};

test('the form returns a stored test unchanged', () => {
  assert.deepEqual(abTestOf(abTestDraftOf(stored, 'news@example.com'), 'news@example.com'), stored);
});

test('a variant with only a sender name keeps the address of the campaign', () => {
  const draft = newAbTest();
  const [first] = draft.variants;
  if (first) first.sender.name = 'Ada';
  const { variants } = abTestOf(draft, 'news@example.com');
  assert.deepEqual(
    variants.map(({ from }) => from),
    [{ email: 'news@example.com', name: 'Ada' }, null],
  );
});

test('a variant with only a name of the sender follows the campaign to another address', () => {
  const from = { email: 'news@example.com', name: 'Ada' };
  const draft = abTestDraftOf({ ...stored, variants: [{ ...variant, from }, variant] }, 'news@example.com');
  assert.deepEqual(abTestOf(draft, 'hello@example.com').variants[0]?.from, { email: 'hello@example.com', name: 'Ada' });
});

test('variants get equal shares that add up to 100, and a free ID', () => {
  const three = withVariant(newAbTest());
  assert.deepEqual(
    three.variants.map(({ id, weight }) => [id, weight]),
    [
      ['a', '34'],
      ['b', '33'],
      ['c', '33'],
    ],
  );
  const two = withoutVariant(three, 'b');
  assert.deepEqual(
    withVariant(two).variants.map(({ id }) => id),
    ['a', 'c', 'b'],
  );
  assert.deepEqual(
    two.variants.map(({ weight }) => weight),
    ['50', '50'],
  );
});

test('a new test has no errors; every invalid field has one', () => {
  const test = newAbTest();
  assert.deepEqual(abTestErrors(test), {});
  const [first, second] = test.variants;
  assert.ok(first && second);
  const wrong = {
    ...test,
    variants: [
      { ...first, weight: '0' },
      { ...second, delay: 'soon' },
    ],
  };
  assert.deepEqual(Object.keys(abTestErrors({ ...wrong, sample_percent: '101', metric: 'revenue', duration: '0' })), [
    'ab_test.variants.0.weight',
    'ab_test.variants.1.delay',
    'ab_test.sample_percent',
    'ab_test.currency',
    'ab_test.duration',
  ]);
});

test('the sum of the shares is an error once each of them is a number', () => {
  const test = newAbTest();
  const withShares = (...weights: string[]) =>
    abTestErrors({ ...test, variants: test.variants.map((one, at) => ({ ...one, weight: weights[at] ?? '' })) });
  assert.deepEqual(withShares('70', '40'), { 'ab_test.variants': 'The shares must add up to 100%. They add up to 110%.' });
  assert.deepEqual(Object.keys(withShares('many', '40')), ['ab_test.variants.0.weight']);
});
