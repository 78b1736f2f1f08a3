import { type Name, nameOperations } from './name-operations.ts';
import {
  type DocumentedOperation,
  type Media,
  type OpenapiDocument,
  type Parameter,
  resolved,
  resolvedParameter,
  type Schema,
} from './openapi-document.ts';

export type Body = { kind: 'json' | 'form' | 'file'; required: boolean; types: string[]; schema: Schema; media: Media };

export type Operation = Name & {
  operationId: string;
  httpMethod: string;
  path: string;
  summary: string;
  description: string;
  scope: string | undefined;
  parameters: Parameter[];
  query: Parameter[];
  /** Without a body, or with one that has no fields, the method takes none. */
  body: Body | undefined;
  idempotencyKey: boolean;
  ifMatch: boolean;
  /** Where the cursor of a list goes; undefined for everything that is not a list. */
  cursorIn: 'query' | 'body' | undefined;
  returns: 'data' | 'json' | 'file' | 'nothing';
  /** The operation takes no API key. */
  isPublic: boolean;
};

const methods = ['get', 'post', 'put', 'patch', 'delete'];

function successOf({ responses = {} }: DocumentedOperation): Record<string, Media> {
  return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {};
}

function dataOf(document: OpenapiDocument, operation: DocumentedOperation): Schema {
  const schema = resolved(document, successOf(operation)['application/json']?.schema);
  return resolved(document, schema.properties?.data);
}

function bodyOf(document: OpenapiDocument, httpMethod: string, { requestBody }: DocumentedOperation): Body | undefined {
  const types = Object.keys(requestBody?.content ?? {});
  const [type] = types;
  if (type === undefined) return undefined;
  const media = requestBody?.content?.[type] ?? {};
  const schema = resolved(document, media.schema);
  const kind = type === 'application/json' ? 'json' : type === 'application/x-www-form-urlencoded' ? 'form' : 'file';
  const isEmpty = schema.type === 'object' && schema.properties !== undefined && Object.keys(schema.properties).length === 0;
  if (isEmpty && !requestBody?.required) return undefined;
  return { kind, required: requestBody?.required === true || httpMethod === 'put', types, schema, media };
}

function returnsOf(operation: DocumentedOperation, schema: Schema): Operation['returns'] {
  const types = Object.keys(successOf(operation));
  if (types.length === 0) return 'nothing';
  if (!types.includes('application/json')) return 'file';
  return schema.properties?.success && schema.properties.data ? 'data' : 'json';
}

/** The operations of the document with what the SDK and the CLI need to call them. */
export function readOperations(document: OpenapiDocument): Operation[] {
  const found = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((httpMethod) => {
      const operation = item[httpMethod];
      return operation?.operationId === undefined ? [] : [{ path, httpMethod, operation, operationId: operation.operationId }];
    }),
  );
  const isPaginated = (operation: DocumentedOperation) => dataOf(document, operation).properties?.pagination !== undefined;
  const names = nameOperations(
    found.map(({ path, operation, operationId }) => ({
      operationId,
      path,
      tag: (operation.tags?.[0] ?? '').toLowerCase(),
      paginated: isPaginated(operation),
    })),
  );
  return found.map(({ path, httpMethod, operation, operationId }) => {
    const parameters = (operation.parameters ?? []).map((parameter) => resolvedParameter(document, parameter));
    const query = parameters.filter((parameter) => parameter.in === 'query');
    const body = bodyOf(document, httpMethod, operation);
    const hasHeader = (name: string) => parameters.some((parameter) => parameter.in === 'header' && parameter.name === name);
    const cursorIn = query.some(({ name }) => name === 'cursor') ? 'query' : body?.schema.properties?.cursor ? 'body' : undefined;
    const success = resolved(document, successOf(operation)['application/json']?.schema);
    return {
      ...(names.get(operationId) ?? { namespace: [], method: operationId }),
      ...{ operationId, httpMethod: httpMethod.toUpperCase(), path, query, body },
      summary: operation.summary ?? operationId,
      description: operation.description ?? '',
      scope: operation['x-scope'],
      parameters: [...path.matchAll(/\{([^}]+)\}/g)].map(
        ([, name = '']) => parameters.find((one) => one.in === 'path' && one.name === name) ?? { name },
      ),
      idempotencyKey: hasHeader('Idempotency-Key'),
      ifMatch: hasHeader('If-Match'),
      cursorIn: isPaginated(operation) ? cursorIn : undefined,
      returns: returnsOf(operation, success),
      isPublic: operation.security !== undefined && !operation.security.some((one) => 'bearer' in one || 'access_token' in one),
    };
  });
}
