import assert from 'node:assert/strict';
import { test } from 'node:test';
import { subjectOf } from '../test/arbitraries.ts';
import type { ContactProfile } from './contact-profile.ts';
import { type FieldOp, fieldNamed, opsOfType } from './fields.ts';
import { Rule } from './rule.ts';
import { compileRule } from './rule-predicate.ts';

const now = new Date('2026-05-01T12:00:00Z');
const evaluated = (contact: ContactProfile, field: string, op: FieldOp, value?: unknown) =>
  compileRule(Rule.parse(value === undefined ? { field, op } : { field, op, value })).matches(subjectOf(contact), now).matches;

type Row = [op: FieldOp, value: unknown, seen: unknown, matches: boolean];

/** Evaluates the cases on an attribute, which may have any type. */
function holds(rows: Row[]) {
  for (const [op, value, seen, matches] of rows) {
    const contact = JSON.parse(JSON.stringify({ attributes: { asked: seen } }));
    assert.equal(evaluated(contact, 'attributes.asked', op, value), matches, `${JSON.stringify(seen)} ${op} ${JSON.stringify(value)}`);
  }
}

test('compares text regardless of case and Unicode composition', () => {
  holds([
    ['eq', 'berlin', 'BERLIN', true],
    ['eq', 'élan', 'E\u0301LAN', true],
    ['eq', 'Berlin', 'Bern', false],
    ['eq', 'ΟΔΟΣ', 'οδος', true],
    ['contains', 'ΣΥΦΟΣ', 'Σίσυφος', true],
    ['eq', 'strasse', 'Straße', true],
    ['ne', 'berlin', 'BERLIN', false],
    ['ne', 'Bern', 'Berlin', true],
    ['in', ['paris', 'berlin'], 'Berlin', true],
    ['in', ['paris'], 'Berlin', false],
    ['not_in', ['paris'], 'Berlin', true],
    ['not_in', ['berlin'], 'Berlin', false],
    ['contains', 'ERL', 'Berlin', true],
    ['contains', 'x', 'Berlin', false],
    ['not_contains', 'x', 'Berlin', true],
    ['not_contains', 'ERL', 'Berlin', false],
    ['starts_with', 'ber', 'Berlin', true],
    ['starts_with', 'lin', 'Berlin', false],
    ['ends_with', 'LIN', 'Berlin', true],
    ['ends_with', 'ber', 'Berlin', false],
    ['exists', undefined, 'Berlin', true],
    ['missing', undefined, 'Berlin', false],
  ]);
  assert.equal(evaluated({ email: 'Ada@Example.com' }, 'email', 'ends_with', '@example.COM'), true);
});

test('numbers compare as numbers', () => {
  holds([
    ['eq', 5, 5, true],
    ['eq', 5, 6, false],
    ['ne', 5, 6, true],
    ['in', [4, 5], 5, true],
    ['not_in', [4, 5], 5, false],
    ['gt', 5, 5, false],
    ['gt', 5, 5.1, true],
    ['gte', 5, 5, true],
    ['lt', 5, 5, false],
    ['lt', 5, -6, true],
    ['lte', 5, 5, true],
    ['between', [1, 5], 1, true],
    ['between', [1, 5], 5, true],
    ['between', [1, 5], 5.01, false],
    ['exists', undefined, 0, true],
  ]);
});

test('compares true and false', () => {
  holds([
    ['eq', true, true, true],
    ['eq', true, false, false],
    ['ne', true, false, true],
    ['in', [false], false, true],
    ['exists', undefined, false, true],
  ]);
});

test('compares dates as instants; a date without a time is its whole day in UTC', () => {
  holds([
    ['gt', '2026-05-01', '2026-05-01T23:59:59.999Z', false],
    ['gt', '2026-05-01', '2026-05-02', true],
    ['gte', '2026-05-01', '2026-05-01', true],
    ['gte', '2026-05-01', '2026-05-01T01:00:00+02:00', false],
    ['lt', '2026-05-01', '2026-04-30T23:59:59Z', true],
    ['lt', '2026-05-01', '2026-05-01', false],
    ['lte', '2026-05-01', '2026-05-01T23:59:59Z', true],
    ['lte', '2026-05-01T10:00:00Z', '2026-05-01T10:00:00.001Z', false],
    ['between', ['2026-05-01', '2026-05-02'], '2026-05-02T20:00:00Z', true],
    ['between', ['2026-05-01', '2026-05-02'], '2026-05-03', false],
  ]);
  for (const created_at of [new Date('2026-05-01T08:00:00Z'), '2026-05-01T08:00:00Z']) {
    assert.equal(evaluated({ created_at }, 'created_at', 'eq', '2026-05-01'), true);
    assert.equal(evaluated({ created_at }, 'created_at', 'eq', '2026-05-02'), false);
    assert.equal(evaluated({ created_at }, 'created_at', 'ne', '2026-05-01T08:00:00Z'), false);
    assert.equal(evaluated({ created_at }, 'created_at', 'gt', '2026-05-01T07:59:59Z'), true);
  }
});

test('equal dates match however they are written; a date without a time is its day in the zone of the condition', () => {
  holds([
    ['eq', '2026-05-01T08:00:00Z', '2026-05-01T10:00:00+02:00', true],
    ['eq', '2026-05-01T08:00:00.000Z', '2026-05-01T08:00Z', true],
    ['eq', '2026-05-01', '2026-05-01T23:59:59Z', true],
    ['eq', '2026-05-01', '2026-05-02T00:00:00Z', false],
    ['eq', '2026-05-01T00:00:00Z', '2026-05-01', true],
    ['ne', '2026-05-01T08:00:00Z', '2026-05-01T10:00:00+02:00', false],
    ['in', ['2026-01-01', '2026-05-01'], '2026-05-01T12:00:00+02:00', true],
    ['not_in', ['2026-05-01'], '2026-05-01T12:00:00+02:00', false],
    ['eq', '2026-05-01', 'on 2026-05-01', false],
    ['eq', '2026-05-01', 20_260_501, false],
  ]);
  const inZone = (op: FieldOp, value: unknown, seen: string) =>
    compileRule(Rule.parse({ field: 'attributes.since', op, value, timezone: 'Europe/Berlin' })).matches(
      subjectOf({ attributes: { since: seen } }),
      now,
    ).matches;
  assert.equal(inZone('eq', '2026-05-01', '2026-04-30T22:30:00Z'), true);
  assert.equal(inZone('eq', '2026-05-01', '2026-05-01T22:30:00Z'), false);
  assert.equal(inZone('in', ['2026-05-01'], '2026-04-30T22:30:00Z'), true);
  assert.equal(inZone('lt', '2026-05-01', '2026-04-30T22:30:00Z'), false);
  assert.throws(() => Rule.parse({ field: 'city', op: 'eq', value: 'Berlin', timezone: 'Europe/Berlin' }), /applies to dates only/);
});

test('compares emails in lower case without folding: ß is not ss', () => {
  assert.equal(evaluated({ email: 'Straße@example.com' }, 'email', 'eq', 'strasse@example.com'), false);
  assert.equal(evaluated({ email: 'Straße@example.com' }, 'email', 'eq', 'STRAßE@example.com'), true);
});

test('matches whole items of a list', () => {
  holds([
    ['contains', 'VIP', ['vip', 'beta'], true],
    ['contains', 'vi', ['vip'], false],
    ['not_contains', 'vip', ['vip'], false],
    ['not_contains', 'vip', ['beta'], true],
    ['in', ['x', 'BETA'], ['vip', 'beta'], true],
    ['in', ['x'], ['vip', 'beta'], false],
    ['not_in', ['beta'], ['vip', 'beta'], false],
    ['not_in', ['x'], ['vip', 'beta'], true],
    ['eq', 'vip', ['vip'], false],
    ['starts_with', 'v', ['vip'], false],
    ['exists', undefined, ['vip'], true],
  ]);
  assert.equal(evaluated({ tags: ['VIP'] }, 'tags', 'contains', 'vip'), true);
});

const opposites: ReadonlySet<FieldOp> = new Set(['ne', 'not_in', 'not_contains', 'missing']);
const operands: Record<FieldOp, unknown> = {
  eq: '2026-05-01',
  ne: '2026-05-01',
  in: ['x'],
  not_in: ['x'],
  contains: 'x',
  not_contains: 'x',
  starts_with: 'x',
  ends_with: 'x',
  gt: '2026-05-01',
  gte: '2026-05-01',
  lt: '2026-05-01',
  lte: '2026-05-01',
  between: ['2026-05-01', '2026-05-02'],
  exists: undefined,
  missing: undefined,
};

test('for a missing value, only ne, not_in, not_contains and missing are true', () => {
  const fields = ['address.city', 'created_at', 'tags', 'attributes.asked'];
  const nothing: ContactProfile[] = [
    {},
    { address: null, created_at: null, tags: null, attributes: null },
    { address: { city: null }, created_at: undefined, tags: [], attributes: { asked: null } },
    { address: { city: '' }, attributes: { asked: [] } },
  ];
  for (const field of fields) {
    for (const op of opsOfType[fieldNamed(field)?.type ?? 'any']) {
      for (const contact of nothing)
        assert.equal(evaluated(contact, field, op, operands[op]), opposites.has(op), `${op} of a missing ${field}`);
    }
  }
});

test('treats a value of another type as missing', () => {
  holds([
    ['eq', '5', 5, false],
    ['eq', 5, '5', false],
    ['eq', 1, true, false],
    ['eq', 'true', true, false],
    ['ne', '5', 5, true],
    ['in', ['5'], 5, false],
    ['not_in', [5], '5', true],
    ['contains', '5', 55, false],
    ['not_contains', '5', 55, true],
    ['starts_with', '5', 55, false],
    ['gt', 5, '6', false],
    ['lt', 5, '4', false],
    ['lte', 5, [1], false],
    ['gt', '2026-05-01', 1e15, false],
    ['gt', '2026-05-01', 'tomorrow', false],
    ['between', [0, 5], true, false],
  ]);
});

test('an attribute named like an inherited property is missing until the contact has it', () => {
  for (const name of ['constructor', 'toString', '__proto__']) {
    assert.equal(evaluated({ attributes: {} }, `attributes.${name}`, 'exists'), false);
    assert.equal(evaluated({ attributes: JSON.parse(`{"${name}": "x"}`) }, `attributes.${name}`, 'eq', 'x'), true);
  }
});

test('reads consent from a status or from a consent record', () => {
  assert.equal(evaluated({ consent: { email: 'subscribed' } }, 'consent.email', 'eq', 'subscribed'), true);
  assert.equal(evaluated({ consent: { email: { status: 'subscribed' } } }, 'consent.email', 'eq', 'subscribed'), true);
  assert.equal(evaluated({ consent: { email: null } }, 'consent.email', 'missing'), true);
});
