import { conventionalFields } from './conventional-fields.ts';
import type { Schema } from './openapi-types.ts';
import { rewrite } from './rewrite.ts';

type Described = { components: { schemas: Record<string, Schema> } };

/** Adds the conventional meaning to every field and parameter without a description. Constraints, which have no `type`, stay as they are. */
export function describeFields<T extends Described>(document: T): T {
  const { schemas } = document.components;
  const isDescribed = ({ description, $ref }: Schema) =>
    description !== undefined || (typeof $ref === 'string' && schemas[$ref.slice($ref.lastIndexOf('/') + 1)]?.description !== undefined);
  const described = (name: string, schema: Schema): Schema => {
    const description = schema.const === undefined ? conventionalFields[name] : `Always \`${String(schema.const)}\`.`;
    return isDescribed(schema) || description === undefined ? schema : { ...schema, description };
  };
  return rewrite(document, (object) => {
    const { type, properties, in: place, name, schema } = object;
    if (type === 'object' && isRecord(properties)) {
      const fields = Object.entries(properties).map(([field, own]) => [field, isRecord(own) ? described(field, own) : own]);
      return { ...object, properties: Object.fromEntries(fields) };
    }
    const isParameter = typeof name === 'string' && (place === 'query' || place === 'path') && isRecord(schema);
    if (!isParameter || isDescribed(object) || isDescribed(schema)) return object;
    return described(name, object);
  }) as T;
}

const isRecord = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
