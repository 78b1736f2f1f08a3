import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@mp/contracts/errors';
import { webhookEvents, webhookEventTypes } from '@mp/contracts/webhooks/catalogue';
import { examplePayload } from '@mp/contracts/webhooks/webhook-event';
import fc from 'fast-check';
import { checkFilter } from './check-filter.ts';
import { Filter, passes } from './filter.ts';
import { payloads } from './payload-fields.ts';

/** The error of a filter as `path: message`, or `fine`. */
function outcomeOf(events: string[], filter: object): string {
  try {
    checkFilter({ events, filter: Filter.parse(filter) });
    return 'fine';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${error.details?.[0]?.path}: ${error.message}`;
  }
}

test('a filter that an event of the webhook can pass is accepted', () => {
  const fine: [string[], object][] = [
    [['*'], { field: 'data.email', op: 'ends_with', value: '@example.com' }],
    [['contact.*'], { field: 'data.attributes.plan', op: 'eq', value: 'pro' }],
    [['contact.created'], { field: 'data.attributes.plan.name', op: 'in', value: ['pro', 7] }],
    [['contact.created'], { field: 'data.consent.topics.news.email.status', op: 'eq', value: 'Subscribed' }],
    [['contact.created'], { field: 'data.tags', op: 'contains', value: 'vip' }],
    [['contact.created'], { field: 'data.address', op: 'missing' }],
    [['contact.created'], { field: 'data.created_at', op: 'gte', value: '2026-05-01' }],
    [['contact.created'], { field: 'data.created_at', op: 'eq', value: '2026-05-01' }],
    [['contact.updated'], { field: 'changed', op: 'contains', value: 'tags' }],
    [['contact.*'], { field: 'cause', op: 'ne', value: 'import' }],
    [['segment.*'], { field: 'cause', op: 'in', value: ['merge', 'api'] }],
    [['event.tracked'], { field: 'data.value.amount', op: 'between', value: [5, 10] }],
    [['event.tracked'], { field: 'data.properties.page.path', op: 'starts_with', value: '/shop' }],
    [
      ['*'],
      {
        any: [
          { field: 'type', op: 'eq', value: 'contact.created' },
          { field: 'data.segment_id', op: 'exists' },
        ],
      },
    ],
    [['*'], { not: { field: 'data.automated', op: 'eq', value: true } }],
  ];
  for (const [events, filter] of fine) assert.equal(outcomeOf(events, filter), 'fine', JSON.stringify(filter));
});

test('a filter that no event can pass is rejected at its condition, with the nearest field or the events that have it', () => {
  const email = { field: 'data.email', op: 'exists' };
  const wrong: [string[], object, RegExp][] = [
    [
      ['contact.created'],
      { all: [email, { field: 'data.emial', op: 'eq', value: 'a' }] },
      /^\/filter\/all\/1\/field: data\.emial is not a field of contact\.created\. Did you mean "data\.email"\?$/,
    ],
    [['*'], { not: { field: 'data.adress.city', op: 'eq', value: 'a' } }, /^\/filter\/not\/field: .*Did you mean "data\.address\.city"\?$/],
    [['segment.*'], email, /^\/filter\/field: data\.email is not a field of any event .*, but of contact\.created, contact\.updated\.$/],
    [['contact.created'], { field: 'changed', op: 'contains', value: 'tags' }, /but of contact\.merged, contact\.updated\.$/],
    [
      ['contact.created'],
      { field: 'data.revision', op: 'eq', value: '7' },
      /^\/filter\/value: data\.revision is a number; eq "7" never matches\.$/,
    ],
    [['contact.created'], { field: 'data.email', op: 'gt', value: 5 }, /data\.email is text; gt 5 never matches/],
    [['contact.created'], { field: 'data.address', op: 'eq', value: 'Berlin' }, /data\.address is an object, whose fields can be compared/],
    [['contact.created'], { field: 'data.tags', op: 'eq', value: 'vip' }, /data\.tags is a list of text; eq "vip" never matches/],
    [['contact.created'], { field: 'data.created_at', op: 'eq', value: 'today' }, /data\.created_at is a date and time/],
    [['contact.created'], { field: 'data.status', op: 'ne', value: 'activ' }, /one of active, unsubscribed, .*Did you mean "active"\?$/],
    [['contact.*'], { field: 'cause', op: 'ne', value: 'imports' }, /cause is one of api, import, platform; .*Did you mean "import"\?$/],
    [['contact.created'], { field: 'type', op: 'eq', value: 'contact.deleted' }, /^\/filter\/value: type is one of contact\.created;/],
    [
      ['*'],
      {
        all: [
          { field: 'type', op: 'eq', value: 'contact.created' },
          { field: 'data.segment_id', op: 'exists' },
        ],
      },
      /^\/filter: .*its conditions exclude each other\.$/,
    ],
    [['segment.*'], { not: { field: 'cause', op: 'exists' } }, /^\/filter: /],
  ];
  for (const [events, filter, message] of wrong) assert.match(outcomeOf(events, filter), message);
});

const examples = webhookEvents.map(examplePayload);

/** A condition that an example meets, for every field of every payload. */
const met = payloads.flatMap(({ type, names }, index) =>
  names
    .filter((name) => /^(type|cause|data\..+)$/.test(name))
    .map((field) => ({ type, field, value: field.split('.').reduce((at: unknown, name) => Object(at)[name], examples[index]) }))
    .filter(({ value }) => ['string', 'number', 'boolean'].includes(typeof value) && value !== ''),
);

test('a condition that the example of an event meets is accepted', () => {
  assert.ok(met.length > 100);
  for (const { type, field, value } of met) assert.equal(outcomeOf([type], { field, op: 'eq', value }), 'fine', `${type} ${field}`);
});

test('the conditions of a filter that an example passes never exclude each other', () => {
  const condition = fc
    .tuple(fc.constantFrom(...met), fc.constantFrom('eq', 'ne', 'exists', 'missing'))
    .map(([{ field, value }, op]) => ({ field, op, ...(op.length === 2 && { value }) }));
  const conditions = fc.array(condition, { minLength: 1, maxLength: 3 });
  const group = fc.oneof(
    condition,
    conditions.map((all) => ({ all })),
    conditions.map((any) => ({ any })),
  );
  const anyFilter = fc.oneof(
    group,
    group.map((not) => ({ not })),
  );
  fc.assert(
    fc.property(anyFilter, fc.subarray([...webhookEventTypes], { minLength: 1, maxLength: 5 }), (given, events) => {
      const filter = Filter.parse(given);
      if (examples.some((payload) => events.includes(payload.type) && passes(filter, payload)))
        assert.doesNotMatch(outcomeOf(events, filter), /exclude each other/);
    }),
    { numRuns: 1_000 },
  );
});
