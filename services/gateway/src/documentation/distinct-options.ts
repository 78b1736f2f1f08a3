import type { Schema } from './openapi-types.ts';

type Resolve = (ref: string) => Schema;

/** The values a field can have, if its schema lists them. */
export const valuesOf = (schema: Schema | undefined): readonly unknown[] =>
  schema?.const !== undefined ? [schema.const] : Array.isArray(schema?.enum) ? schema.enum : [];

/**
 * Turns a union of mutually exclusive named objects into `oneOf`, with a discriminator if one field distinguishes them. From
 * `anyOf`, client generators would make one type with the fields of all options.
 */
export function distinctOptions(schema: Schema, resolve: Resolve): Schema {
  const { anyOf, oneOf = anyOf, ...rest } = schema;
  if (!Array.isArray(oneOf)) return schema;
  const refs = oneOf.flatMap(({ $ref }: Schema) => (typeof $ref === 'string' ? [$ref] : []));
  if (refs.length < 2 || refs.length < oneOf.length) return schema;
  const objects = refs.map(resolve);
  const apart = objects.every((one, index) => objects.slice(index + 1).every((other) => excludes(one, other)));
  return apart ? { ...rest, oneOf, ...discriminatorOf(refs, objects) } : schema;
}

/** Whether no value matches both: one requires a field the other forbids, or a field both require has no common value. */
function excludes(one: Schema, other: Schema): boolean {
  const refuses = ({ additionalProperties, properties }: Schema, name: string) =>
    additionalProperties === false && !(name in propertiesOf(properties));
  if (neededOf(one).some((name) => refuses(other, name)) || neededOf(other).some((name) => refuses(one, name))) return true;
  return neededOf(one).some((name) => {
    const [values, others] = [one, other].map(({ properties }) => valuesOf(propertiesOf(properties)[name]));
    return neededOf(other).includes(name) && values?.length && others?.length && !values.some((value) => others.includes(value));
  });
}

const propertiesOf = (properties: unknown) => (properties ?? {}) as Record<string, Schema>;
const neededOf = ({ required }: Schema): string[] => (Array.isArray(required) ? required : []);

/** The discriminator: a required field with exactly one, different value in each option. */
function discriminatorOf(refs: readonly string[], objects: readonly Schema[]) {
  const [first = {}] = objects;
  const name = neededOf(first).find((member) => {
    const values = objects.map(({ properties }) => valuesOf(propertiesOf(properties)[member]));
    return values.every(({ length }) => length === 1) && new Set(values.flat()).size === objects.length;
  });
  if (name === undefined) return {};
  const mapping = objects.map(({ properties }, index) => [valuesOf(propertiesOf(properties)[name])[0], refs[index]]);
  return { discriminator: { propertyName: name, mapping: Object.fromEntries(mapping) } };
}
