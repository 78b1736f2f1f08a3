import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { Rule } from './rule.ts';

const Body = z.object({ definition: Rule });

/** The first error of a definition as `path: message`, or `fine`. */
function problemOf(definition: unknown): string {
  const issue = Body.safeParse({ definition }).error?.issues[0];
  return issue ? `/${issue.path.join('/')}: ${issue.message}` : 'fine';
}
const refuses = (definition: unknown, path: string, message: RegExp) => {
  const problem = problemOf(definition);
  assert.equal(problem.slice(0, problem.indexOf(':')), path);
  assert.match(problem, message);
};

const leaf = { field: 'tags', op: 'contains', value: 'vip' };
const nested = (depth: number, inner: unknown = leaf): unknown => (depth === 0 ? inner : nested(depth - 1, { all: [inner] }));

test('names what may be meant: the nearest field, op or kind of condition, and `date` for an op of dates', () => {
  const said = (rule: object) => Rule.safeParse(rule).error?.issues[0]?.message ?? '';
  assert.match(said({ field: 'firstname', op: 'exists' }), /^Unknown contact field\. Did you mean "first_name"\? Use one of/);
  assert.match(said({ field: 'contact.email', op: 'exists' }), /Did you mean "email"\?/);
  assert.match(said({ field: 'attribute.plan', op: 'exists' }), /Did you mean "attributes.plan"\?/);
  assert.match(said({ field: 'email', op: 'equals', value: 'a' }), /Did you mean "eq"\?$/);
  assert.match(said({ field: 'email', op: 'is', value: 'a' }), /Did you mean "eq"\?$/);
  assert.match(said({ field: 'email', op: 'equls', value: 'a' }), /Did you mean "eq"\?$/);
  assert.match(said({ field: 'email', op: 'is_emtpy' }), /Did you mean "missing"\?$/);
  assert.match(said({ field: 'email', op: 'contain', value: 'a' }), /Did you mean "contains"\?$/);
  assert.match(said({ feild: 'email', op: 'eq', value: 'a' }), /Did you mean "field"\?$/);
  for (const field of ['last_seen_at', 'attributes.birthday'])
    assert.match(said({ field, op: 'in_last' }), new RegExp(`^"in_last" is an op of dates: use {"date": "${field}", "op": "in_last", …}`));
  assert.doesNotMatch(said({ field: 'email', op: 'in_last' }), /op of dates/);
  assert.match(said({ date: 'created', op: 'in_last', value: 'P7D' }), /Did you mean "created_at"\?$/);
  assert.match(said({ date: 'created_at', op: 'gte', value: '2026-01-01' }), /For "gte", use {"field": "created_at", "op": "gte", …}\.$/);
  assert.match(said({ date: 'created_at', op: 'inlast', value: 'P7D' }), /Did you mean "in_last"\?$/);
});

test('accepts every kind of condition, alone or in groups', () => {
  const rules = [
    leaf,
    { field: 'country', op: 'in', value: ['DE', 'AT'] },
    { field: 'attributes.plan', op: 'missing' },
    { field: 'attributes.score', op: 'between', value: [1, 5] },
    { field: 'created_at', op: 'gte', value: '2026-01-01' },
    { date: 'created_at', op: 'in_last', value: 'P30D' },
    { date: 'attributes.renews', op: 'before', value: 'now', timezone: 'Europe/Berlin' },
    { date: 'last_seen_at', op: 'on', value: '2026-05-01' },
    { date: 'attributes.birthday', op: 'anniversary', within: 'P7D' },
    {
      event: 'order_placed',
      where: { 'properties.total': { gte: 10, lt: 20 }, 'properties.currency': 'EUR' },
      count: { gte: 3 },
      in_last: 'P30D',
    },
    { campaign: 'any', activity: 'opened', in_last: 'P400D' },
    { campaign: 'campaign_01', activity: 'clicked', count: { eq: 0 } },
    { form: 'any', activity: 'submitted', in_last: 'P400D' },
    { form: 'form_01', activity: 'confirmed', count: { eq: 0 } },
    { segment: 'segment_01', op: 'not_in' },
  ];
  for (const rule of [...rules, { all: rules }, { any: rules }, { not: { all: rules } }]) assert.equal(problemOf(rule), 'fine');
});

test('names the invalid field, its path and what would be valid', () => {
  refuses({ all: [leaf, { field: 'email', op: 'gt', value: 1 }] }, '/definition/all/1/op', /email is text: use eq, ne, in/);
  refuses(
    { all: [leaf, { field: 'emial', op: 'eq', value: 'x' }] },
    '/definition/all/1/field',
    /Unknown contact field\. .*Use one of external_id, email/,
  );
  refuses({ field: 'tags', op: 'eq', value: 'vip' }, '/definition/op', /contains checks for an item/);
  refuses({ field: 'email', op: 'like', value: 'x' }, '/definition/op', /one of eq, ne, in, not_in, contains, .*missing\./);
  refuses({ not: { any: [{ field: 'city', op: 'eq', value: 7 }] } }, '/definition/not/any/0/value', /address\.city is text/);
  refuses({ field: 'city', op: 'in', value: ['a', {}] }, '/definition/value/1', /must be text, a number/);
  refuses({ field: 'city', op: 'eq', value: '' }, '/definition/value', /must not be empty/);
  refuses({ field: 'created_at', op: 'gt', value: 5 }, '/definition/value', /ISO 8601 date/);
  refuses({ field: 'attributes.x', op: 'gt', value: 'tall' }, '/definition/value', /a number or an ISO 8601 date/);
  refuses({ field: 'attributes.x', op: 'between', value: [5, 1] }, '/definition/value', /lower bound must come first/);
  refuses({ field: 'attributes.x', op: 'between', value: [5, '2026-01-01'] }, '/definition/value', /two numbers or two dates/);
  refuses({ field: 'attributes.', op: 'exists' }, '/definition/field', /Unknown contact field/);
  refuses({ date: 'email', op: 'in_last', value: 'P1D' }, '/definition/date', /created_at, updated_at, last_seen_at/);
  refuses({ date: 'created_at', op: 'in_last', value: 'P1M' }, '/definition/value', /weeks, days, hours/);
  refuses({ date: 'created_at', op: 'in_last', value: 'P401D' }, '/definition/value', /at most 400 days/);
  refuses({ date: 'created_at', op: 'in_last', value: 'PT0S' }, '/definition/value', /longer than zero/);
  refuses({ date: 'created_at', op: 'on', value: '2026-02-30' }, '/definition/value', /such as 2026-05-01/);
  refuses({ date: 'created_at', op: 'on', value: '2026-05-01', timezone: '+02:00' }, '/definition/timezone', /IANA name/);
  refuses({ date: 'created_at', op: 'between' }, '/definition/op', /in_last, not_in_last/);
  refuses({ date: 'created_at', op: 'anniversary', within: 'P181D' }, '/definition/within', /P180D/);
  refuses({ event: 'x', in_last: 'P58W' }, '/definition/in_last', /400 days/);
  refuses({ event: 'x', count: {} }, '/definition/count', /gte, lte or eq/);
  refuses({ event: 'x', where: { total: 1 } }, '/definition/where/total', /properties\.<name>/);
  refuses({ event: 'x', where: { 'properties.total': { gte: 'much' } } }, '/definition/where/properties.total/gte', /number/);
  refuses({ event: 'x', where: { 'properties.total': { regex: 'a' } } }, '/definition/where/properties.total', /regex/);
  refuses({ event: '$campaign.opened' }, '/definition/event', /campaign/);
  refuses({ campaign: 'newsletter', activity: 'opened' }, '/definition/campaign', /ID of a campaign/);
  refuses({ event: '$form.submitted' }, '/definition/event', /form/);
  refuses({ form: 'newsletter', activity: 'submitted' }, '/definition/form', /ID of a form/);
  refuses({ segment: 'x' }, '/definition/segment', /ID of a segment/);
});

test('rejects unknown fields', () => {
  refuses({ ...leaf, extra: 1 }, '/definition', /extra/);
  refuses({ all: [leaf], extra: 1 }, '/definition', /remove extra/);
  refuses({ all: [leaf], any: [leaf] }, '/definition', /all and any/);
  refuses({ field: 'tags', segment: 'segment_1' }, '/definition', /field and segment/);
  refuses({ field: 'attributes.x', op: 'exists', value: true }, '/definition', /value/);
  refuses({ all: [] }, '/definition/all', /at least one/);
  refuses({ not: [leaf] }, '/definition/not', /must be an object/);
  for (const nothing of [null, 'x', 7, [], {}]) assert.notEqual(problemOf(nothing), 'fine');
});

test('accepts groups 6 levels deep and rejects a seventh', () => {
  assert.equal(problemOf(nested(6)), 'fine');
  refuses(nested(7), '/definition/all/0/all/0/all/0/all/0/all/0/all/0', /at most 6 levels deep/);
});

test('accepts 100 conditions and rejects one more, wherever they are', () => {
  const many = (length: number) => Array.from({ length }, () => leaf);
  assert.equal(problemOf({ any: [{ all: many(50) }, { not: { any: many(50) } }] }), 'fine');
  refuses({ any: [{ all: many(50) }, { all: many(51) }] }, '/definition', /at most 100 conditions/);
  refuses({ all: many(101) }, '/definition/all', /at most 100 conditions/);
});

test('accepts at most 500 listed values and 1,000 characters', () => {
  const listing = (length: number) => ({ field: 'city', op: 'in', value: Array.from({ length }, (_, n) => `city ${n}`) });
  assert.equal(problemOf(listing(500)), 'fine');
  refuses(listing(501), '/definition/value', /500/);
  assert.equal(problemOf({ field: 'city', op: 'eq', value: 'x'.repeat(1_000) }), 'fine');
  refuses({ field: 'city', op: 'eq', value: 'x'.repeat(1_001) }, '/definition/value', /1000/);
});

test('rejects 100,000 levels without overflowing the stack', () => {
  const text = `${'{"not":'.repeat(100_000)}{}${'}'.repeat(100_000)}`;
  refuses(JSON.parse(text), '/definition/not/not/not/not/not/not', /at most 6 levels deep/);
  let arrays: unknown = {};
  for (let level = 0; level < 100_000; level += 1) arrays = { all: [arrays] };
  assert.match(problemOf(arrays), /at most 6 levels deep/);
});

test('reports at most 20 problems', () => {
  const wrong = Array.from({ length: 90 }, () => ({ field: 'nope', op: 'exists' }));
  assert.equal(Body.safeParse({ definition: { all: wrong } }).error?.issues.length, 20);
});

test('is a recursive JSON Schema component', () => {
  for (const io of ['input', 'output'] as const) {
    const { $ref, $defs } = z.toJSONSchema(Rule, { io });
    assert.equal($ref, '#/$defs/Rule');
    assert.match(JSON.stringify($defs), /"items":\{"\$ref":"#\/\$defs\/Rule"\}/);
  }
});
