import assert from 'node:assert/strict';
import { test } from 'node:test';
import { subjectOf } from '../test/arbitraries.ts';
import type { ContactProfile } from './contact-profile.ts';
import { Rule } from './rule.ts';
import { compileRule } from './rule-predicate.ts';

/** The result now (`yes` or `no`) and when it changes. */
function evaluated(leaf: object, contact: ContactProfile, now: string): string {
  const { matches, flipsAt } = compileRule(Rule.parse(leaf)).matches(subjectOf(contact), new Date(now));
  return `${matches ? 'yes' : 'no'}${flipsAt ? ` until ${flipsAt.toISOString().replace(':00.000Z', 'Z')}` : ''}`;
}

const created = { created_at: '2026-05-01T12:00:00Z' };

test('in_last matches from the date until its window has passed', () => {
  const leaf = { date: 'created_at', op: 'in_last', value: 'P30D' };
  assert.equal(evaluated(leaf, created, '2026-04-30T12:00:00Z'), 'no until 2026-05-01T12:00Z');
  assert.equal(evaluated(leaf, created, '2026-05-01T12:00:00Z'), 'yes until 2026-05-31T12:00Z');
  assert.equal(evaluated(leaf, created, '2026-05-31T11:59:59.999Z'), 'yes until 2026-05-31T12:00Z');
  assert.equal(evaluated(leaf, created, '2026-05-31T12:00:00Z'), 'no');
});

test('not_in_last is the opposite of in_last', () => {
  const leaf = { date: 'created_at', op: 'not_in_last', value: 'PT1H' };
  assert.equal(evaluated(leaf, created, '2026-05-01T11:00:00Z'), 'yes until 2026-05-01T12:00Z');
  assert.equal(evaluated(leaf, created, '2026-05-01T12:30:00Z'), 'no until 2026-05-01T13:00Z');
  assert.equal(evaluated(leaf, created, '2026-05-01T13:00:00Z'), 'yes');
});

test('in_next matches from the start of its window until the date', () => {
  const leaf = { date: 'created_at', op: 'in_next', value: 'P1D' };
  assert.equal(evaluated(leaf, created, '2026-04-30T11:00:00Z'), 'no until 2026-04-30T12:00Z');
  assert.equal(evaluated(leaf, created, '2026-04-30T12:00:00Z'), 'yes until 2026-05-01T12:00Z');
  assert.equal(evaluated(leaf, created, '2026-05-01T12:00:00Z'), 'no');
});

test('before, after and on a fixed day never change with time', () => {
  const on = (op: string, value: string, timezone?: string) =>
    evaluated({ date: 'created_at', op, value, ...(timezone && { timezone }) }, created, '2026-01-01T00:00:00Z');
  assert.equal(on('before', '2026-05-02'), 'yes');
  assert.equal(on('before', '2026-05-01'), 'no');
  assert.equal(on('before', '2026-05-01T12:00:01Z'), 'yes');
  assert.equal(on('after', '2026-04-30'), 'yes');
  assert.equal(on('after', '2026-05-01'), 'no');
  assert.equal(on('after', '2026-05-01T12:00:00Z'), 'no');
  assert.equal(on('on', '2026-05-01'), 'yes');
  assert.equal(on('on', '2026-05-02'), 'no');
  assert.equal(on('on', '2026-05-02', 'Pacific/Kiritimati'), 'yes');
  assert.equal(on('after', '2026-05-01', 'Pacific/Kiritimati'), 'yes');
});

test('before now and after now change when the date passes', () => {
  const renews = { attributes: { renews: '2026-05-01' } };
  const evaluatedAt = (op: string, now: string) =>
    evaluated({ date: 'attributes.renews', op, value: 'now', timezone: 'Europe/Berlin' }, renews, now);
  assert.equal(evaluatedAt('after', '2026-04-01T00:00:00Z'), 'yes until 2026-04-30T22:00Z');
  assert.equal(evaluatedAt('after', '2026-04-30T22:00:00Z'), 'no');
  assert.equal(evaluatedAt('before', '2026-04-01T00:00:00Z'), 'no until 2026-04-30T22:00:00.001Z');
  assert.equal(evaluatedAt('before', '2026-04-30T22:00:00.001Z'), 'yes');
});

test('an anniversary is the whole local day in every later year', () => {
  const leaf = { date: 'attributes.birthday', op: 'anniversary', timezone: 'Europe/Berlin' };
  const born = { attributes: { birthday: '1990-03-29' } };
  assert.equal(evaluated(leaf, born, '2026-03-01T00:00:00Z'), 'no until 2026-03-28T23:00Z');
  assert.equal(evaluated(leaf, born, '2026-03-28T23:00:00Z'), 'yes until 2026-03-29T22:00Z', 'the day clocks go forward has 23 hours');
  assert.equal(evaluated(leaf, born, '2026-03-29T22:00:00Z'), 'no until 2027-03-28T22:00Z');
  assert.equal(
    evaluated(leaf, { attributes: { birthday: '2026-03-29' } }, '2026-03-29T08:00:00Z'),
    'no until 2027-03-28T22:00Z',
    'not on the day itself',
  );
});

test('the anniversary of an instant is that of its day in the zone', () => {
  const late = { created_at: '2025-12-31T23:30:00Z' };
  assert.equal(evaluated({ date: 'created_at', op: 'anniversary' }, late, '2026-06-01T00:00:00Z'), 'no until 2026-12-31T00:00Z');
  assert.equal(
    evaluated({ date: 'created_at', op: 'anniversary', timezone: 'Europe/Berlin' }, late, '2026-06-01T00:00:00Z'),
    'no until 2026-12-31T23:00Z',
  );
});

test('29 February is the 28th in years without one', () => {
  const leaf = { date: 'attributes.birthday', op: 'anniversary' };
  const born = { attributes: { birthday: '2024-02-29' } };
  assert.equal(evaluated(leaf, born, '2026-02-28T12:00:00Z'), 'yes until 2026-03-01T00:00Z');
  assert.equal(evaluated(leaf, born, '2028-02-28T12:00:00Z'), 'no until 2028-02-29T00:00Z');
});

test('within starts an anniversary whole days earlier, including across the new year', () => {
  const leaf = { date: 'attributes.birthday', op: 'anniversary', within: 'P7D' };
  const born = { attributes: { birthday: '1990-01-03' } };
  assert.equal(evaluated(leaf, born, '2026-12-01T00:00:00Z'), 'no until 2026-12-27T00:00Z');
  assert.equal(evaluated(leaf, born, '2026-12-31T00:00:00Z'), 'yes until 2027-01-04T00:00Z');
});

test('for a missing or invalid date, only not_in_last is true', () => {
  const leaves = [
    { op: 'in_last', value: 'P1D' },
    { op: 'in_next', value: 'P1D' },
    { op: 'before', value: '2026-01-01' },
    { op: 'before', value: 'now' },
    { op: 'after', value: '2026-01-01' },
    { op: 'after', value: 'now' },
    { op: 'on', value: '2026-01-01' },
    { op: 'anniversary' },
  ];
  for (const contact of [{}, { attributes: { asked: 'soon' } }, { attributes: { asked: 5 } }, { attributes: { asked: ['2026-01-01'] } }]) {
    for (const leaf of leaves) assert.equal(evaluated({ date: 'attributes.asked', ...leaf }, contact, '2026-01-01T00:00:00Z'), 'no');
    assert.equal(evaluated({ date: 'attributes.asked', op: 'not_in_last', value: 'P1D' }, contact, '2026-01-01T00:00:00Z'), 'yes');
  }
});

test('a change after the year 9999 counts as never', () => {
  const endless = { attributes: { ends: '9999-12-31' } };
  assert.equal(evaluated({ date: 'attributes.ends', op: 'anniversary' }, endless, '2026-01-01T00:00:00Z'), 'no');
  assert.equal(
    evaluated({ date: 'attributes.ends', op: 'before', value: 'now' }, endless, '2026-01-01T00:00:00Z'),
    'no until 9999-12-31T00:00:00.001Z',
  );
});
