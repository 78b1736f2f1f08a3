import type { Described } from './markdown.ts';
import type { Schema } from './openapi-types.ts';
import { rewrite } from './rewrite.ts';

/**
 * The document for programs. Client generators would name types after titles such as "Any of", which are not unique; without
 * them they use the names of the schemas.
 */
export function withoutTypeTitles(document: Described): Described {
  const schemas = Object.entries(document.components.schemas).map(([name, { title, ...schema }]) => [name, schema]);
  const paths = rewrite(document.paths, (object) => {
    const { anyOf, oneOf } = object;
    return {
      ...object,
      ...(Array.isArray(anyOf) && { anyOf: anyOf.map(untitled) }),
      ...(Array.isArray(oneOf) && { oneOf: oneOf.map(untitled) }),
    };
  }) as Described['paths'];
  return { ...document, paths, components: { ...document.components, schemas: Object.fromEntries(schemas) } };
}

/** An option of a union without its title, if it is an object. */
function untitled(option: Schema): Schema {
  const { title, ...rest } = option;
  return option.properties === undefined ? option : rest;
}
