import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { atLeastOneOf, atMostOneOf, exactlyOneOf } from '@mp/contracts/constraints';
import { generatedOpenapi } from '../proxy/routes/generated-config.ts';
import { distinctOptions } from './distinct-options.ts';
import type { Schema } from './openapi-types.ts';
import { plainSchema } from './plain-schema.ts';

const document: { paths: Record<string, Record<string, Schema>>; components: { schemas: Record<string, Schema> } } = JSON.parse(
  generatedOpenapi(),
);
const { schemas } = document.components;

/** Visits the schema and all inner schemas, each with its path in the document. */
function eachSchema(schema: unknown, at: string, visit: (schema: Schema, at: string) => void) {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
  const known = schema as Schema;
  visit(known, at);
  for (const [name, member] of Object.entries((known.properties ?? {}) as Schema)) eachSchema(member, `${at}.${name}`, visit);
  for (const keyword of ['items', 'additionalProperties']) eachSchema(known[keyword], `${at}/${keyword}`, visit);
  for (const keyword of ['anyOf', 'oneOf', 'allOf'])
    for (const [index, option] of ((known[keyword] ?? []) as Schema[]).entries()) eachSchema(option, `${at}/${keyword}/${index}`, visit);
}

/** The JSON bodies of all requests and responses, by operation. */
const bodies = Object.entries(document.paths).flatMap(([path, byMethod]) =>
  Object.entries(byMethod).flatMap(([method, operation]) => {
    const { requestBody, responses } = operation as { requestBody?: Schema; responses: Record<string, Schema> };
    const parts: [string, Schema | undefined][] = [['request', requestBody], ...Object.entries(responses)];
    return parts.flatMap(([part, described]) => {
      const schema = (described?.content as Record<string, { schema?: Schema }> | undefined)?.['application/json']?.schema;
      return schema ? [{ at: `${method} ${path} ${part}`, schema, isResponse: part !== 'request' }] : [];
    });
  }),
);

test('the document uses only schema features that client generators understand', () => {
  const strange: string[] = [];
  const look = (schema: Schema, at: string) => {
    const { type, items, default: standard, enum: values = [], prefixItems } = schema;
    if (type === 'null' && !/(any|one)Of\/\d+$/.test(at)) strange.push(`${at} is only null`);
    if (items === false || prefixItems) strange.push(`${at} is a tuple`);
    if (typeof standard === 'object' && standard !== null) strange.push(`${at} has an object for a default`);
    if (type === 'boolean' && ((values as unknown[]).length > 0 || 'const' in schema)) strange.push(`${at} enumerates booleans`);
    for (const value of values as unknown[])
      if (typeof value === 'string' && !/[A-Za-z0-9]/.test(value)) strange.push(`${at} has no name for ${JSON.stringify(value)}`);
  };
  for (const [name, schema] of Object.entries(schemas)) eachSchema(schema, name, look);
  for (const { at, schema } of bodies) eachSchema(schema, at, look);
  assert.deepEqual(strange, []);
});

test('every response is a named envelope, and every object in it has a unique name', () => {
  const nameless = bodies
    .filter(({ at, schema, isResponse }) => isResponse && at.includes(' /v2/') && typeof schema.$ref !== 'string')
    .map(({ at }) => at);
  for (const [name, schema] of Object.entries(schemas))
    eachSchema(schema, name, (inner, at) => {
      if (at !== name && inner.properties !== undefined) nameless.push(at);
    });
  assert.deepEqual(nameless, []);
  assert.deepEqual(
    Object.keys(schemas).filter((name) => /\d$/.test(name)),
    [],
    'no name needs a number to be unique',
  );
  const lists = Object.entries(schemas).filter(([, { properties }]) => properties && 'pagination' in (properties as Schema));
  assert.ok(
    lists.length > 15 && lists.every(([name]) => name.endsWith('List') || ['SearchContactsData', 'CampaignComparison'].includes(name)),
    lists.map(([name]) => name).join(),
  );
  for (const name of ['Contact', 'CampaignSummary', 'Segment', 'Visitor', 'Workflow'])
    assert.ok(schemas[`${name}ListResponse`] && schemas[`${name}List`], name);
});

test('the names that generators derive for inline enums do not collide with other types', () => {
  const invented = new Map<string, { at: string; schema: Schema }>();
  for (const [name, schema] of Object.entries(schemas))
    eachSchema(schema, name, (inner, at) => {
      if (!Array.isArray(inner.enum) || at === name || /Of\/\d+$/.test(at)) return;
      const own = at.replaceAll(/[./_](\w)/g, (_, letter: string) => letter.toUpperCase());
      const other = schemas[own];
      assert.ok(!other || isDeepStrictEqual(other, inner), `${at} and ${own}`);
      invented.set(own, { at, schema: inner });
    });
  assert.ok(invented.size > 20);
});

test('unions of mutually exclusive objects become oneOf with a discriminator', () => {
  const { oneOf = [], discriminator } = schemas.WorkflowStep ?? {};
  const { propertyName, mapping } = discriminator as { propertyName: string; mapping: Record<string, string> };
  assert.deepEqual([propertyName, Object.keys(mapping).length], ['type', (oneOf as unknown[]).length]);
  assert.equal(mapping.add_tag, '#/components/schemas/WorkflowStepAddTag');
  assert.ok(schemas.Rule?.oneOf && !schemas.Rule.anyOf);
  const overlapping: Record<string, Schema> = {
    '#/a': { properties: { x: {} }, required: ['x'], additionalProperties: false },
    '#/b': { properties: { x: {}, y: {} }, additionalProperties: false },
  };
  const union = { anyOf: [{ $ref: '#/a' }, { $ref: '#/b' }] };
  assert.deepEqual(
    distinctOptions(union, (ref) => overlapping[ref] ?? {}),
    union,
    'overlapping options stay anyOf',
  );
});

test('schemas are rewritten in terms that every generator understands', () => {
  const between = { prefixItems: [{ type: 'number' }, { type: 'number' }], items: false, type: 'array' };
  assert.deepEqual(plainSchema(between), { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 });
  assert.deepEqual(plainSchema({ anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }], description: 'd' }), {
    type: ['string', 'null'],
    maxLength: 3,
    description: 'd',
  });
  assert.deepEqual(plainSchema({ anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] }), {
    type: ['string', 'null'],
    enum: ['a', null],
  });
  assert.deepEqual(plainSchema({ anyOf: [{ type: 'string' }, { anyOf: [{ type: 'number' }, { oneOf: [{ type: 'boolean' }] }] }] }), {
    anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }],
  });
  assert.deepEqual(plainSchema({ type: 'boolean', enum: [true] }), { type: 'boolean', description: 'Always `true`.' });
  assert.deepEqual(plainSchema({ default: { a: 1 }, description: 'What.' }), { description: 'What. Default: `{"a":1}`.' });
  const integer = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
  assert.deepEqual(plainSchema(integer), { type: 'integer' });
  assert.deepEqual(plainSchema({ ...integer, minimum: 0, maximum: 9 }), { type: 'integer', minimum: 0, maximum: 9 });
  assert.deepEqual(plainSchema({ type: 'string', format: 'date-time', pattern: '^.*Z$' }), { type: 'string', format: 'date-time' });
  assert.deepEqual(plainSchema({ type: 'string', format: 'starts_with', pattern: '^/' }), { type: 'string', pattern: '^/' });
  const member = { properties: { default: { type: 'object' } } };
  assert.deepEqual(plainSchema(member), member, 'a field may have the name of a keyword');
});

test('constraints between fields are part of the schema', () => {
  const requestOf = (method: string, path: string) => bodies.find(({ at }) => at === `${method} ${path} request`)?.schema ?? {};
  const has = (schema: Schema, constraint: object) => assert.deepEqual({ ...schema, ...constraint }, schema);
  has(requestOf('post', '/v2/contacts'), atLeastOneOf(['email', 'external_id', 'phone']));
  has(requestOf('put', '/v2/contacts'), atLeastOneOf(['email', 'external_id', 'phone']));
  has(requestOf('post', '/v2/contacts/suppressions'), exactlyOneOf(['email', 'domain']));
  has(requestOf('post', '/v2/workflows/{id}/trigger'), exactlyOneOf(['contact_id', 'email', 'contacts']));
  has(requestOf('post', '/v2/campaigns/{id}/preview'), atMostOneOf(['contact_id', 'sample']));
  has(schemas.WorkflowStepDelay ?? {}, exactlyOneOf(['for', 'until', 'until_local', 'until_date']));
  assert.ok(requestOf('post', '/v2/leadpulse/track').if);
});
