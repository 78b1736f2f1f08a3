import { isDeepStrictEqual } from 'node:util';
import type { ServiceName } from '@mp/contracts/services';
import { introduction } from './api-introduction.ts';
import { completeOperation, withFiles } from './complete-operation.ts';
import { describeFields } from './describe-fields.ts';
import { type Examples, withExample } from './examples.ts';
import { failureResponses } from './failures.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { OpenapiDocument, type Operation, type Schema } from './openapi-types.ts';
import { securityOf, securitySchemes } from './security-schemes.ts';
import { tags, titleOf } from './tags.ts';
import { tidySchemas } from './tidy-schemas.ts';
import { titleOptions } from './title-options.ts';
import { webhookOperations } from './webhook-operations.ts';

/** Complete paths that do not use the envelope, and their schemas. */
type Beside = { paths: Record<string, Record<string, { tags: string[] }>>; schemas: Record<string, Schema> };

/** One OpenAPI 3.1 document for the whole platform. Throws if two services use one name for different things. */
export function mergeOpenapi(
  documents: Partial<Record<ServiceName, unknown>>,
  examples: Examples = {},
  beside: Beside = { paths: {}, schemas: {} },
  notified: { webhooks: object; schemas: Record<string, Schema> } = webhookOperations(),
) {
  const paths: OpenapiDocument['paths'] = {};
  const schemas: Record<string, Schema> = {};

  for (const [service, document] of Object.entries(documents)) {
    const own = OpenapiDocument.parse(document);
    addAll('path', paths, titled(own.paths), service);
    addAll('schema', schemas, own.components?.schemas ?? {}, service);
  }
  const resolve = (schema: Schema): Schema => {
    const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : undefined;
    return name === undefined ? schema : (schemas[name] ?? {});
  };
  const completed = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        completeOperation(withExample(withFiles(operation), examples), { method, path }, resolve),
      ]),
    ),
  ]);

  addAll('schema', schemas, beside.schemas, 'the gateway');
  for (const [name, schema] of Object.entries(notified.schemas)) schemas[name] ??= schema;
  const described = [...Object.values(paths), ...Object.values(beside.paths)].flatMap((operations) => Object.values(operations));

  const document = tidySchemas({
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
  return withWebhooksByReference(describeFields(titleOptions(document)));
}

/** The webhooks as components, because openapi-generator makes TypeScript that does not compile of those written in place. */
function withWebhooksByReference<T extends { webhooks: object; components: object }>({ webhooks, ...document }: T) {
  const named = Object.entries(webhooks).map(([type, item]) => ({ type, name: type.replaceAll('.', '_'), item }));
  return {
    ...document,
    webhooks: Object.fromEntries(named.map(({ type, name }) => [type, { $ref: `#/components/pathItems/${name}` }])),
    components: { ...document.components, pathItems: Object.fromEntries(named.map(({ name, item }) => [name, item])) },
  };
}

/** The paths with tags by their titles. */
const titled = (paths: OpenapiDocument['paths']): OpenapiDocument['paths'] =>
  Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [
          method,
          operation.tags ? { ...operation, tags: operation.tags.map(titleOf) } : operation,
        ]),
      ),
    ]),
  );

/** The tags in use, in the order of tags.ts. */
function namedTags(operations: readonly Pick<Operation, 'tags'>[]) {
  const used = new Set(operations.flatMap((operation) => operation.tags ?? []));
  const known = Object.entries(tags).map(([tag, description]) => ({ name: titleOf(tag), description }));
  const unknown = [...used].filter((name) => !known.some((tag) => tag.name === name)).map((name) => ({ name }));
  return [...known.filter(({ name }) => used.has(name)), ...unknown];
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
