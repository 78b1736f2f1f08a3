import fc from 'fast-check';
import { type Json, namesIn } from '../contract.ts';

/** Deep enough for the nesting of the schemas, and small enough for a realistic request. */
const deepest = 4;

/** Values that a JSON Schema of the document allows, including its examples. */
export function anyValue(schema: Json, schemas: Record<string, Json>, depth = 0): fc.Arbitrary<Json> {
  const examples: Json[] = [...(schema.examples ?? []), ...(schema.example === undefined ? [] : [schema.example])];
  const made = makeValue(schema, schemas, depth);
  return examples.length === 0 ? made : fc.oneof(fc.constantFrom(...examples), made);
}

function makeValue(schema: Json, schemas: Record<string, Json>, depth: number): fc.Arbitrary<Json> {
  if (schema.$ref) return anyValue(schemas[schema.$ref.split('/').at(-1)], schemas, depth + 1);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const options: Json[] | undefined = schema.anyOf ?? schema.oneOf;
  if (options) {
    const shallow = depth < deepest ? options : options.filter((option) => !leadsOn(option, schemas));
    return fc.oneof(...(shallow.length > 0 ? shallow : options).map((option) => anyValue(option, schemas, depth + 1)));
  }
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type: string) => makeValue({ ...schema, type }, schemas, depth)));
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: Math.max(schema.minimum ?? -1_000, -1e9), max: Math.min(schema.maximum ?? 1_000_000, 1e9) });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case 'string':
      return stringOf(schema);
    case 'array':
      return arrayOf(schema, schemas, depth);
    case 'object':
      return objectOf(schema, schemas, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/** Whether a schema refers to a recursive one, such as rules within rules. */
const leadsOn = (schema: Json, schemas: Record<string, Json>) =>
  [...reached(schema, schemas)].some((name) => reached(schemas[name], schemas).has(name));

const known = new WeakMap<Json, Set<string>>();

/** The names of all schemas that this one refers to, directly or not. */
function reached(schema: Json, schemas: Record<string, Json>): Set<string> {
  const names = known.get(schema) ?? new Set<string>();
  if (known.has(schema)) return names;
  known.set(schema, names);
  const open = namesIn(schema);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (names.has(name)) continue;
    names.add(name);
    open.push(...namesIn(schemas[name]));
  }
  return names;
}

const isoTime = fc
  .date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2099-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

const emailAddress = fc.emailAddress();
const webUrl = fc.webUrl({ validSchemes: ['https'] });

/** Cached by schema, because building an arbitrary takes longer than generating values. */
const texts = new Map<string, fc.Arbitrary<string>>();

function stringOf({ format, pattern, minLength, maxLength }: Json): fc.Arbitrary<string> {
  const kind = JSON.stringify([format, pattern, minLength, maxLength]);
  const known = texts.get(kind) ?? textOf({ format, pattern, minLength, maxLength });
  texts.set(kind, known);
  return known;
}

function textOf({ format, pattern, minLength = 0, maxLength = 200 }: Json): fc.Arbitrary<string> {
  const fits = (text: string) =>
    text.length >= minLength && text.length <= maxLength && (pattern === undefined || new RegExp(pattern, 'u').test(text));
  if (format === 'date-time') return isoTime;
  if (format === 'date') return isoTime.map((text) => text.slice(0, 10));
  if (format === 'email') return emailAddress.filter(fits);
  if (format === 'uri') return webUrl.filter((text) => text.length <= maxLength);
  if (pattern !== undefined) return fc.stringMatching(withoutLookaround(pattern)).filter(fits);
  const max = Math.min(maxLength, 60);
  return fc.oneof(
    fc.string({ minLength, maxLength: Math.max(minLength, max), unit: 'grapheme-ascii' }),
    fc.string({ minLength, maxLength: Math.max(minLength, Math.floor(max / 4)), unit: 'grapheme' }).filter(fits),
  );
}

/** The pattern without lookarounds, which fast-check does not support; generated strings are filtered by the full pattern. */
const withoutLookaround = (pattern: string) => new RegExp(pattern.replaceAll(/\(\?<?[=!](?:[^()]|\([^()]*\))*\)/g, ''));

function arrayOf({ prefixItems, items, minItems = 0, maxItems = 3 }: Json, schemas: Record<string, Json>, depth: number) {
  if (prefixItems) return fc.tuple(...prefixItems.map((item: Json) => anyValue(item, schemas, depth + 1)));
  const max = Math.max(minItems, Math.min(maxItems, depth < deepest ? 3 : 1));
  return fc.array(anyValue(items ?? {}, schemas, depth + 1), { minLength: minItems, maxLength: max });
}

function objectOf(schema: Json, schemas: Record<string, Json>, depth: number): fc.Arbitrary<Json> {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
  const members = Object.fromEntries(
    Object.entries<Json>(properties).map(([name, member]) => [name, anyValue(member, schemas, depth + 1)]),
  );
  const known = fc.record(members, { requiredKeys: Object.keys(members).filter((name) => required.includes(name)) });
  if (typeof additionalProperties !== 'object') return known;
  const keys = stringOf(propertyNames ?? { minLength: 1, maxLength: 20 });
  const more = fc.dictionary(keys, anyValue(additionalProperties, schemas, depth + 1), { maxKeys: 3, noNullPrototype: true });
  return fc.tuple(more, known).map(([extra, own]) => ({ ...extra, ...own }));
}
