import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Condition, conditionLabel, conditionOf, shownIf } from './condition.ts';

const liquidOf = (condition: unknown) => shownIf({ type: 'paragraph', attrs: { condition } }, 'Hi');

test('a block with a condition is inside a Liquid tag that compares by type', () => {
  const city = { field: 'contact.address.city', op: 'is', value: 'Berlin' };
  assert.equal(liquidOf(city), '{% if contact.address.city == "Berlin" %}Hi{% endif %}');
  assert.equal(liquidOf({ ...city, op: 'is_not' }), '{% if contact.address.city != "Berlin" %}Hi{% endif %}');
  assert.equal(liquidOf({ ...city, op: 'is_set' }), '{% if contact.address.city %}Hi{% endif %}');
  assert.equal(liquidOf({ ...city, op: 'is_empty' }), '{% if contact.address.city == nil %}Hi{% endif %}');
  assert.equal(liquidOf({ field: 'contact.attributes.seats', op: 'is', value: 5 }), '{% if contact.attributes.seats == 5 %}Hi{% endif %}');
  assert.equal(
    liquidOf({ field: "contact.attributes['my plan']", op: 'is', value: true }),
    "{% if contact.attributes['my plan'] == true %}Hi{% endif %}",
  );
});

test('a block without a condition, or with an unknown one, is always shown', () => {
  assert.equal(liquidOf(null), 'Hi');
  assert.equal(liquidOf({ field: 'contact.city %}', op: 'is', value: '' }), 'Hi');
  assert.equal(liquidOf({ field: 'contact.city', op: 'matches', value: '' }), 'Hi');
  assert.equal(conditionOf({}), undefined);
});

test('a value cannot end the tag or open HTML', () => {
  assert.equal(
    liquidOf({ field: 'contact.company', op: 'is', value: 'A "B" %}<a href=x>' }),
    `{% if contact.company == 'A "B" a href=x' %}Hi{% endif %}`,
  );
});

test('the canvas names the condition in words', () => {
  const words = (op: Condition['op'], value: Condition['value']) => conditionLabel({ field: 'contact.address.city', op, value }, 'City');
  assert.equal(words('is', 'Berlin'), 'Only if City is Berlin');
  assert.equal(words('is_set', ''), 'Only if City has a value');
});
