import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createContract, type Json } from '../contract.ts';

const document: Json = JSON.parse(readFileSync(new URL('../../services/gateway/config/openapi.json', import.meta.url), 'utf8'));
const { operations } = createContract(document);
const components: Json = document.components;

const resolved = (value: Json): Json => {
  if (typeof value?.$ref !== 'string') return value;
  return value.$ref
    .split('/')
    .slice(1)
    .reduce((part: Json, name: string) => part[name], document);
};

type Field = { at: string; name: string; schema: Json };

/** Every field of a schema and of what it contains; each named schema once. */
function fieldsOf(schema: Json, at: string, seen = new Set<string>()): Field[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (typeof schema.$ref === 'string') {
    if (seen.has(schema.$ref)) return [];
    return fieldsOf(resolved(schema), at, new Set([...seen, schema.$ref]));
  }
  const own = Object.entries<Json>(schema.properties ?? {}).flatMap(([name, field]) => [
    { at: `${at}.${name}`, name, schema: field },
    ...fieldsOf(field, `${at}.${name}`, seen),
  ]);
  const parts: Json[] = [
    schema.items,
    schema.additionalProperties,
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
  ];
  return [...own, ...parts.flatMap((part) => fieldsOf(part, at, seen))];
}

const json = (content: Json): Json => content?.['application/json']?.schema;
const successes = (operation: Json): [status: string, answer: Json][] =>
  Object.entries<Json>(operation.responses).filter(([status]) => status.startsWith('2'));
const dataOf = (response: Json): Json => resolved(resolved(json(response.content) ?? {})?.properties?.data ?? {});

const fields: Field[] = operations.flatMap(({ id, operation }) => [
  ...fieldsOf(json(operation.requestBody?.content), `${id} request`),
  ...successes(operation).flatMap(([status, response]) => fieldsOf(json(response.content), `${id} ${status}`)),
]);
const parameters = operations.flatMap(({ id, operation }) =>
  (operation.parameters ?? []).map((parameter: Json) => ({ id, ...resolved(parameter) })),
);
const isCurrent = ({ schema }: Field) => schema.deprecated !== true;

/** Where a field has one of these names and is not the old name of a renamed one. */
const named = (...names: string[]) => fields.filter((field) => names.includes(field.name) && isCurrent(field)).map(({ at }) => at);

test('a status is called `status`', () => {
  assert.ok(fields.length > 10_000, `${fields.length} fields`);
  assert.deepEqual(named('state', 'states'), []);
  assert.deepEqual(
    parameters.filter(({ name, deprecated }) => name === 'state' && !deprecated),
    [],
  );
});

test('a span of time is `from` and `to`, in requests, responses and series', () => {
  assert.deepEqual(named('start', 'end', 'since', 'next_since'), []);
  const until = named('until').filter((at) => !/\.(trigger|steps|definition)\b/.test(at));
  assert.deepEqual(until, [], 'a delay waits `until` a time; nothing else has one');
  const ends = parameters.filter(({ name }) => ['since', 'until', 'start', 'end'].includes(name));
  assert.deepEqual(ends, []);
});

test('a tracked event has a `timestamp`', () => {
  const times = parameters.filter(({ name, deprecated }) => /^time\b(?!zone)/.test(name) && !deprecated);
  assert.deepEqual(times, []);
  const events = fields.filter(({ at, name }) => name === 'conflicts' || /recent_events$/.test(at));
  assert.ok(events.length > 0);
  for (const { at, schema } of events) assert.ok('timestamp' in resolved(resolved(schema).items).properties, at);
});

test('what was created is `created_at`, and what has ended `completed_at`', () => {
  assert.deepEqual(
    named('finished_at', 'requested_at', 'next_at').filter((at) => !at.endsWith('.timing.next_at')),
    [],
  );
});

test('every list has `items` and `pagination`', () => {
  const lists = operations.filter(({ method, id }) => method === 'GET' && id.startsWith('list'));
  assert.ok(lists.length > 35, `${lists.length} lists`);
  for (const { id, operation } of operations) {
    for (const [status, response] of successes(operation)) {
      const { properties = {} } = dataOf(response);
      const isList = properties.items !== undefined && properties.items.deprecated !== true;
      assert.equal('pagination' in properties, isList, `${id} ${status}`);
      if (id.startsWith('list')) assert.ok(isList, id);
    }
  }
});

test('the resource of a path is `{id}`, and each one after it has the name of its noun', () => {
  for (const { id, template } of operations) {
    const [first, ...others] = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
    assert.ok(first === undefined || first === 'id', `${id}: ${template}`);
    for (const name of others) assert.match(name ?? '', /^[a-z]+_id$/, `${id}: ${template}`);
  }
});

test('every 201 and 202 has a Location', () => {
  for (const { id, operation } of operations)
    for (const [status, { headers = {} }] of successes(operation))
      if (status === '201' || status === '202') assert.ok('Location' in headers, `${id} ${status}`);
});

test('DELETE, revoke and rotate have one status each: 200', () => {
  const ends = operations.filter(({ method, template }) => method === 'DELETE' || /\/(revoke|rotate[a-z-]*)$/.test(template));
  assert.ok(ends.length > 20, `${ends.length} operations`);
  for (const { id, operation } of ends)
    assert.deepEqual(
      successes(operation).map(([status]) => status),
      ['200'],
      id,
    );
});

test('settings have a revision and an ETag', () => {
  const settings = operations.filter(({ template }) => /\/(settings|brand|settings\/account)$/.test(template));
  assert.equal(settings.length, 12);
  for (const { id, operation } of settings) {
    const [[, response] = []] = successes(operation);
    assert.ok('revision' in (dataOf(response).properties ?? {}), id);
    assert.ok('ETag' in response.headers, id);
  }
});

test('what changes a resource with an ETag takes If-Match', () => {
  const hasTag = ({ operation }: (typeof operations)[number]) => successes(operation).some(([, { headers = {} }]) => 'ETag' in headers);
  const tagged = new Set(operations.filter((read) => read.method === 'GET' && hasTag(read)).map(({ template }) => template));
  const changes = operations.filter((change) => {
    const resource = change.template.replace(/\/[a-z-]+$/, '');
    return change.method !== 'GET' && (tagged.has(change.template) || (tagged.has(resource) && hasTag(change)));
  });
  assert.ok(changes.length > 50, `${changes.length} changes`);
  for (const { id, operation } of changes) {
    const accepted = (operation.parameters ?? []).map(resolved).map(({ name }: Json) => name);
    assert.ok(accepted.includes('If-Match') && '412' in operation.responses, id);
  }
});

test('an operation that names a resource documents its 404', () => {
  for (const { id, template, operation } of operations) if (template.includes('{')) assert.ok('404' in operation.responses, id);
  const comparison = operations.find(({ id }) => id === 'compareCampaigns');
  assert.ok('404' in (comparison?.operation.responses ?? {}), 'a comparison names campaigns in its query');
});

test('every `limit` documents its default', () => {
  const limits = parameters.filter(({ name, in: place }) => name === 'limit' && place === 'query');
  assert.ok(limits.length > 35);
  for (const { id, schema } of limits) assert.equal(schema.default, 50, id);
});

test('each operation has an Idempotency-Key of its own as example', () => {
  const keys = parameters.filter(({ name }) => name === 'Idempotency-Key').map(({ example }) => example);
  assert.ok(keys.length > 90, `${keys.length} writes`);
  assert.ok(keys.every((key) => typeof key === 'string'));
  assert.equal(new Set(keys).size, keys.length);
});

test('an old name stands beside its new one, and differs only in its description', () => {
  const containers: Json[] = [...Object.values(components.schemas), ...operations.map(({ operation }) => operation)];
  const found: [string, string][] = [];
  const look = (value: Json) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, field] of Object.entries<Json>(value.properties ?? {})) {
      const newName = field?.['x-renamed-to'];
      if (newName === undefined) continue;
      found.push([name, newName]);
      const { description: _, default: __, ...current } = value.properties[newName];
      const { description, deprecated, 'x-renamed-to': ___, ...former } = field;
      assert.deepEqual([former, description, deprecated], [current, `The former name of \`${newName}\`.`, true]);
    }
    for (const member of Object.values(value)) look(member);
  };
  containers.forEach(look);
  assert.ok(found.length > 20, `${found.length} renamed fields`);
});
