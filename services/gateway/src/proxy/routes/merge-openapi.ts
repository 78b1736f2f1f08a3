import { isDeepStrictEqual } from 'node:util';
import { completeOperation, hasField, withFiles } from '../../documentation/complete-operation.ts';
import { type Examples, withExample } from '../../documentation/examples.ts';
import { failureResponses } from '../../documentation/failures.ts';
import { requestHeaders, responseHeaders } from '../../documentation/headers.ts';
import { securityOf, securitySchemes } from '../../documentation/security.ts';
import { introduction, tags } from '../../documentation/tags.ts';
import { tidySchemas } from '../../documentation/tidy-schemas.ts';
import { webhookOperations } from '../../documentation/webhook-operations.ts';
import { OpenapiDocument, type Operation, type Schema } from './openapi-document.ts';
import type { ServiceName } from './route.ts';

/** Complete paths that do not use the envelope, and their schemas. */
type Beside = { paths: Record<string, Record<string, { tags: string[] }>>; schemas: Record<string, Schema> };

/** One OpenAPI 3.1 document for the whole platform. Throws if two services use one name for different things. */
export function mergeOpenapi(
  documents: Partial<Record<ServiceName, unknown>>,
  examples: Examples = {},
  beside: Beside = { paths: {}, schemas: {} },
) {
  const paths: OpenapiDocument['paths'] = {};
  const schemas: Record<string, Schema> = {};

  for (const [service, document] of Object.entries(documents)) {
    const own = OpenapiDocument.parse(document);
    addAll('path', paths, own.paths, service);
    addAll('schema', schemas, own.components?.schemas ?? {}, service);
  }
  const resolve = (schema: Schema): Schema => {
    const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : undefined;
    return name === undefined ? schema : (schemas[name] ?? {});
  };
  /** Whether the resource of this path, or its parent, has revisions. */
  const isRevisioned = (path: string) => {
    const resource = /^.*?\{[^}]*\}/.exec(path)?.[0];
    const answer = resource === undefined ? undefined : paths[resource]?.get?.responses['200'];
    return answer !== undefined && hasField(answer, 'revision', resolve);
  };
  const completed = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        completeOperation(method, path, withExample(withFiles(operation), examples), isRevisioned(path), resolve),
      ]),
    ),
  ]);

  addAll('schema', schemas, beside.schemas, 'the gateway');
  const notified = webhookOperations();
  for (const [name, schema] of Object.entries(notified.schemas)) schemas[name] ??= schema;
  const described = [...Object.values(paths), ...Object.values(beside.paths)].flatMap((operations) => Object.values(operations));

  return tidySchemas({
    openapi: '3.1.0',
    info: {
      title: 'Marketing platform',
      version: '2.0.0',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The gateway that serves this document.' }],
    tags: namedTags(described),
    security: securityOf(null),
    paths: sorted({ ...Object.fromEntries(completed), ...beside.paths }),
    webhooks: notified.webhooks,
    components: {
      schemas: sorted(schemas),
      responses: failureResponses(),
      headers: responseHeaders,
      parameters: requestHeaders,
      securitySchemes,
    },
  });
}

/** The tags in use, in the order of tags.ts. */
function namedTags(operations: readonly Pick<Operation, 'tags'>[]) {
  const used = new Set(operations.flatMap((operation) => operation.tags ?? []));
  const known = Object.keys(tags).filter((name) => used.has(name));
  return [...known, ...[...used].filter((name) => !(name in tags))].map((name) => ({
    name,
    ...(tags[name] !== undefined && { description: tags[name] }),
  }));
}

function addAll<T>(what: string, into: Record<string, T>, from: Record<string, T>, service: string) {
  for (const [name, value] of Object.entries(from)) {
    if (name in into && !isDeepStrictEqual(into[name], value)) {
      throw new Error(`The ${what} ${name} of ${service} differs from another service's.`);
    }
    into[name] = value;
  }
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
