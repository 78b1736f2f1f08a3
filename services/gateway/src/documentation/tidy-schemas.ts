import { isDeepStrictEqual } from 'node:util';
import { nameSchemas } from './name-schemas.ts';
import type { Schema } from './openapi-types.ts';
import { rewrite } from './rewrite.ts';

const prefix = '#/components/schemas/';

/**
 * Zod emits each named schema twice: for requests (`…Input`) and for responses. This drops the `…Input` twin where both are
 * equal and keeps it where they differ. It also drops unused schemas.
 */
export function tidySchemas<
  T extends { paths: object; components: { schemas: Record<string, Schema>; responses: object }; webhooks?: object },
>(document: T): T {
  const twins = twinsOf(document.components.schemas);
  const tidy = (value: unknown) =>
    rewrite(value, (object) =>
      withNamedMembers(typeof object.$ref === 'string' ? { ...object, $ref: without(object.$ref, twins) } : object),
    );
  const paths = tidy(document.paths) as T['paths'];
  const schemas = tidy(document.components.schemas) as Record<string, Schema>;
  const webhooks = tidy(document.webhooks ?? {}) as object;
  const used = referredTo([paths, webhooks, document.components.responses], schemas);
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
  return nameSchemas({ ...document, paths, ...(document.webhooks && { webhooks }), components: { ...document.components, schemas: kept } });
}

/** The `…Input` names whose schema equals the one without the suffix. */
function twinsOf(schemas: Record<string, Schema>): Set<string> {
  const twins = new Set(Object.keys(schemas).filter((name) => name.endsWith('Input') && name.slice(0, -5) in schemas));
  // A schema that refers to a non-twin is not a twin either, so repeat until nothing changes. This also handles recursive schemas.
  for (let before = -1; before !== twins.size; ) {
    before = twins.size;
    for (const name of twins) {
      const plain = rewrite(schemas[name], (object) =>
        typeof object.$ref === 'string' ? { ...object, $ref: without(object.$ref, twins) } : object,
      );
      if (!isDeepStrictEqual(plain, schemas[name.slice(0, -5)])) twins.delete(name);
    }
  }
  return twins;
}

const without = (ref: string, twins: Set<string>) => (twins.has(ref.slice(prefix.length)) ? ref.slice(0, -5) : ref);

/** Turns a record with a known set of keys into an object with these fields, which is easier to read and validates better. */
function withNamedMembers(schema: Schema): Schema {
  const { propertyNames, additionalProperties, required, ...rest } = schema;
  const names = (propertyNames as Schema | undefined)?.enum;
  if (!Array.isArray(names) || typeof additionalProperties !== 'object') return schema;
  const properties = Object.fromEntries(names.map((name) => [name, additionalProperties]));
  return { ...rest, properties, ...(required !== undefined && { required }), additionalProperties: false };
}

function referredTo(roots: readonly unknown[], schemas: Record<string, Schema>): Set<string> {
  const used = new Set<string>();
  const look = (value: unknown): unknown =>
    rewrite(value, (object) => {
      const name = typeof object.$ref === 'string' && object.$ref.startsWith(prefix) ? object.$ref.slice(prefix.length) : undefined;
      if (name !== undefined && !used.has(name)) {
        used.add(name);
        look(schemas[name]);
      }
      return object;
    });
  for (const root of roots) look(root);
  return used;
}
