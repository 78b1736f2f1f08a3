import { isDeepStrictEqual } from 'node:util';
import { OpenapiDocument } from './openapi-document.ts';
import type { ServiceName } from './route.ts';

/** One OpenAPI 3.1 document of the whole platform. Throws when two services mean different things by one name. */
export function mergeOpenapi(documents: Partial<Record<ServiceName, unknown>>) {
  const paths: Record<string, unknown> = {};
  const schemas: Record<string, unknown> = {};
  const securitySchemes: Record<string, unknown> = {};
  const tags = new Set<string>();

  for (const [service, document] of Object.entries(documents)) {
    const own = OpenapiDocument.parse(document);
    addAll('path', paths, own.paths, service);
    addAll('schema', schemas, own.components?.schemas ?? {}, service);
    addAll('security scheme', securitySchemes, own.components?.securitySchemes ?? {}, service);
    for (const operations of Object.values(own.paths)) {
      for (const { tags: named = [] } of Object.values(operations)) for (const tag of named) tags.add(tag);
    }
  }

  return {
    openapi: '3.1.0',
    info: {
      title: 'Marketing platform',
      version: '2.0.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The gateway that serves this document.' }],
    tags: [...tags].map((name) => ({ name })),
    paths: sorted(paths),
    components: { schemas: sorted(schemas), securitySchemes: sorted(securitySchemes) },
  };
}

function addAll(what: string, into: Record<string, unknown>, from: Record<string, unknown>, service: string) {
  for (const [name, value] of Object.entries(from)) {
    if (name in into && !isDeepStrictEqual(into[name], value)) {
      throw new Error(`The ${what} ${name} of ${service} differs from another service's.`);
    }
    into[name] = value;
  }
}

const sorted = (record: Record<string, unknown>) => Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
