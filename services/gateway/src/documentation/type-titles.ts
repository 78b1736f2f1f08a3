import type { Described } from './markdown.ts';

/**
 * The document for programs. Client generators would name types after titles such as "Any of", which are not unique; without
 * them they use the names of the schemas.
 */
export function withoutTypeTitles(document: Described): Described {
  const schemas = Object.entries(document.components.schemas).map(([name, { title, ...schema }]) => [name, schema]);
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } };
}
