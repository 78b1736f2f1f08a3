import type { Schema } from './openapi-types.ts';

/**
 * Rewrites a schema so that every client generator understands it: no tuples, no unions with null where a list of types
 * will do, no nested unions, no single-value booleans, no object defaults. Without what only zod needs. Does not descend into inner schemas.
 */
export function plainSchema(schema: Schema): Schema {
  return [
    onlyReference,
    withoutTuple,
    flatUnion,
    nullableType,
    onlyNull,
    booleanConstant,
    spokenDefault,
    withoutSafeBounds,
    plainFormat,
  ].reduce((plain, change) => change(plain), schema);
}

const schemasIn = (value: unknown): Schema[] => (Array.isArray(value) ? value : []);

/** Drops the options next to a reference, which repeat those of the named schema: generators would name them again. */
function onlyReference(schema: Schema): Schema {
  if (typeof schema.$ref !== 'string') return schema;
  const { anyOf, oneOf, examples, ...reference } = schema;
  return reference;
}

/** A tuple such as `[low, high]` becomes an array with two items. */
function withoutTuple(schema: Schema): Schema {
  const { prefixItems, items, ...rest } = schema;
  if (!Array.isArray(prefixItems) || items !== false) return schema;
  const kinds = [...new Map(schemasIn(prefixItems).map((item) => [JSON.stringify(item), item])).values()];
  return { ...rest, items: kinds.length === 1 ? kinds[0] : { anyOf: kinds }, minItems: prefixItems.length, maxItems: prefixItems.length };
}

/** Flattens nested unions; their options are mutually exclusive anyway. */
function flatUnion(schema: Schema): Schema {
  return Array.isArray(schema.anyOf) ? { ...schema, anyOf: schemasIn(schema.anyOf).flatMap(optionsOf) } : schema;
}

function optionsOf(option: Schema): Schema[] {
  const [only = '', ...more] = Object.keys(option);
  return more.length === 0 && (only === 'anyOf' || only === 'oneOf') ? schemasIn(option[only]).flatMap(optionsOf) : [option];
}

/** `type: [string, null]` instead of a union with null. An object stays in the union, so that it keeps its name. */
function nullableType(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  const [option, other, ...more] = schemasIn(anyOf);
  if (!option || other?.type !== 'null' || more.length > 0) return schema;
  if (typeof option.type !== 'string' || option.properties) return schema;
  const values = Array.isArray(option.enum) ? option.enum : 'const' in option ? [option.const] : undefined;
  const { const: _, ...kept } = option;
  return { ...kept, ...rest, type: [option.type, 'null'], ...(values && { enum: [...values, null] }) };
}

/** A field that is always null becomes a nullable string whose only value is null; generators do not know the type `null`. */
function onlyNull(schema: Schema): Schema {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null) return schema;
  const plain = Object.entries(properties as Record<string, Schema>).map(([name, member]) => [
    name,
    member.type === 'null' ? { ...member, type: ['string', 'null'], enum: [null] } : member,
  ]);
  return { ...schema, properties: Object.fromEntries(plain) };
}

/** Drops the single value of a boolean: generators compare the boolean with it as text. */
function booleanConstant(schema: Schema): Schema {
  const { enum: values, const: only = Array.isArray(values) ? values[0] : undefined, ...rest } = schema;
  return schema.type !== 'boolean' || only === undefined ? schema : { ...rest, description: spoken(schema, `Always \`${only}\`.`) };
}

/** States an object default in the description, and drops `default: null`: generators write it as `null` in any language. */
function spokenDefault(schema: Schema): Schema {
  const { default: standard, ...rest } = schema;
  if (standard === null) return rest;
  if (typeof standard !== 'object') return schema;
  return { ...rest, description: spoken(schema, `Default: \`${JSON.stringify(standard)}\`.`) };
}

const isSafeBound = (value: unknown) => value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER;

/** Drops the bounds of JavaScript's integers, which zod writes for every integer without its own. */
function withoutSafeBounds(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name, value]) => !(/^(?:minimum|maximum)$/.test(name) && isSafeBound(value))));
}

/** Drops the pattern of a date, which its format says, and the format of a prefix, which only its pattern says in JSON Schema. */
function plainFormat(schema: Schema): Schema {
  const { pattern, ...dated } = schema;
  const { format, ...prefixed } = schema;
  if (format === 'date' || format === 'date-time') return dated;
  return format === 'starts_with' ? prefixed : schema;
}

const spoken = ({ description }: Schema, more: string) => [description, more].filter(Boolean).join(' ');
