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
