import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

type Schema = Record<string, unknown>;

const document: Schema = JSON.parse(readFileSync(new URL('../../services/gateway/config/openapi.json', import.meta.url), 'utf8'));
const isRecord = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every field and parameter of the document, by path, with whether it has a description. */
function fieldsOf(value: unknown, path: string): [path: string, described: boolean][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => fieldsOf(item, `${path}/${index}`));
  if (!isRecord(value)) return [];
  const { type, properties, name, schema, in: place } = value;
  // An object without a type is a constraint on other schemas.
  const fields =
    type === 'object' && isRecord(properties) ? Object.entries(properties).map(([field, own]) => [`${path}.${field}`, own] as const) : [];
  const isParameter = typeof name === 'string' && typeof place === 'string';
  return [
    ...fields.map(([at, own]): [string, boolean] => [at, isDescribed(own)]),
    ...(isParameter ? ([[`${path} ?${name}`, isDescribed(value) || isDescribed(schema)]] satisfies [string, boolean][]) : []),
    ...Object.entries(value).flatMap(([key, own]) => (key === 'examples' || key === 'example' ? [] : fieldsOf(own, `${path}/${key}`))),
  ];
}

function isDescribed(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (typeof value.description === 'string') return true;
  const name = typeof value.$ref === 'string' ? value.$ref.replace('#/components/schemas/', '') : undefined;
  const { components } = document;
  const schemas = isRecord(components) && isRecord(components.schemas) ? components.schemas : {};
  return name !== undefined && isDescribed(schemas[name]);
}

test('at least 95 % of all fields and parameters have a description', () => {
  const fields = fieldsOf({ paths: document.paths, components: document.components }, '');
  const missing = fields.filter(([, described]) => !described).map(([path]) => path);
  assert.ok(fields.length > 1_000);
  assert.ok(missing.length <= fields.length * 0.05, `${missing.length} of ${fields.length} have none:\n${missing.join('\n')}`);
});

/** Every union of the document with what a reader sees of its options: the title, the values or the type of each. */
function unionsOf(value: unknown, path: string): [path: string, options: string[]][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => unionsOf(item, `${path}/${index}`));
  if (!isRecord(value)) return [];
  const options = [value.anyOf, value.oneOf]
    .flat()
    .filter(isRecord)
    .filter(({ type }) => type !== 'null');
  return [
    ...(options.length > 1 ? ([[path, options.map((option) => seenAs(resolved(option)))]] satisfies [string, string[]][]) : []),
    ...Object.entries(value).flatMap(([key, own]) => (key === 'examples' || key === 'example' ? [] : unionsOf(own, `${path}/${key}`))),
  ];
}

const seenAs = ({ title, enum: values, const: only, type }: Schema) => String(title ?? only ?? values ?? type);

function resolved(schema: Schema): Schema {
  const { components } = document;
  const schemas = isRecord(components) && isRecord(components.schemas) ? components.schemas : {};
  const named = typeof schema.$ref === 'string' ? schemas[schema.$ref.replace('#/components/schemas/', '')] : undefined;
  return isRecord(named) ? named : schema;
}

test('the options of every union have titles or types that tell them apart', () => {
  const unions = unionsOf({ paths: document.paths, webhooks: document.webhooks, components: document.components }, '');
  const unclear = unions.filter(([, seen]) => new Set(seen).size < seen.length || seen.includes('object'));
  assert.ok(unions.length > 100);
  assert.deepEqual(unclear, []);
});

/** The schemas of the document that have a default other than null beside an enum with null, by path. */
function defaultsBesideNull(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => defaultsBesideNull(item, `${path}/${index}`));
  if (!isRecord(value)) return [];
  const { enum: values, default: usual = null } = value;
  const found = Array.isArray(values) && values.includes(null) && usual !== null;
  return [...(found ? [path] : []), ...Object.entries(value).flatMap(([key, own]) => defaultsBesideNull(own, `${path}/${key}`))];
}

test('no enum with null has a default, which generated Go clients do not compile with', () => {
  assert.deepEqual(defaultsBesideNull({ paths: document.paths, components: document.components }, ''), []);
});
