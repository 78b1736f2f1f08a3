import { requiresAdmin } from '@mp/contracts/permissions';
import { failureRef, failureStatuses, type Takes } from './failures.ts';
import { headersOf, idempotencyHeader, ifMatchHeader, type ResponseHeader } from './headers.ts';
import type { Operation, Parameter, ResponseObject, Schema } from './openapi-types.ts';
import { securityOf } from './security-schemes.ts';

type Resolve = (schema: Schema) => Schema;

/**
 * An operation as clients see it: what its service describes, plus the headers, parameters and failures that the kit and
 * the gateway add to every route.
 */
export function completeOperation(
  {
    'x-reads': reads = false,
    'x-finds': finds = false,
    'x-step-up': _,
    'x-outlives-grants': outlives = false,
    'x-people': people = false,
    'x-if-match': ifMatch = false,
    ...operation
  }: Operation,
  { method, path }: { method: string; path: string },
  resolve: Resolve,
) {
  const write = method !== 'get' && !reads;
  const { requestBody, responses, description = '', parameters = [] } = operation;
  const isFile = Object.values(responses).some(({ content = {} }) => Object.keys(content).some((media) => media !== 'application/json'));
  const takes: Takes = {
    body: requestBody !== undefined,
    // Some reads also depend on the resource's state, for example a preview, or a file that is not ready yet.
    stateful: method !== 'get' || isFile,
    write,
    ifMatch,
    oneOfMany: finds || path.includes('{'),
  };
  return {
    ...operation,
    security: securityOf(operation['x-scope']),
    description: [description, people ? forPeople : needs(operation, method), outlives ? notForApplications : '']
      .filter((text) => text !== '')
      .join('\n\n'),
    parameters: [
      ...parameters.map(withDeprecation),
      ...(write ? [idempotencyHeader(operation.operationId ?? path)] : []),
      ...(ifMatch ? [ifMatchHeader] : []),
    ],
    ...(requestBody && { requestBody: { ...requestBody, required: !takesNothing(requestBody.content, resolve) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [status, completeResponse(Number(status), response, write, resolve)]),
      ),
      ...Object.fromEntries(failureStatuses(takes).map((status) => [status, failureRef(status)])),
    },
  };
}

/** OpenAPI has the deprecation of a parameter beside its schema. */
function withDeprecation({ schema, ...parameter }: Parameter): Parameter {
  const { deprecated, ...described } = schema ?? {};
  return { ...parameter, ...(schema && { schema: described }), ...(deprecated === true && { deprecated: true }) };
}

const forPeople = 'Requires a signed-in user whose role can read the resource.';
const notForApplications = 'Connected applications cannot call this, because what it returns would still work after they are disconnected.';

/** The operation with its files as ordinary bodies. Services name only the media types of files. */
export function withFiles({ 'x-consumes': consumes, 'x-produces': produces, ...operation }: Operation): Operation {
  const { responses } = operation;
  const asFile = (response: ResponseObject): ResponseObject => (produces ? { ...response, content: fileContent(produces) } : response);
  return {
    ...operation,
    ...(consumes && { requestBody: { content: fileContent(consumes) } }),
    responses: Object.fromEntries(Object.entries(responses).map(([status, response]) => [status, asFile(response)])),
  };
}

/** A file with any content. */
const fileContent = (types: readonly string[]) => Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }]));

const meanings: Record<number, string> = { 200: 'Done.', 201: 'Created.', 202: 'Accepted; the work continues in the background.' };

function completeResponse(status: number, response: ResponseObject, write: boolean, resolve: Resolve) {
  const more: ResponseHeader[] = [
    ...(status === 201 || status === 202 ? (['Location'] as const) : []),
    ...(hasField(response, 'revision', resolve) ? (['ETag'] as const) : []),
    ...(hasField(response, 'pagination', resolve) ? (['Link'] as const) : []),
    ...(write ? (['Idempotent-Replayed'] as const) : []),
  ];
  const description =
    response.description === undefined || response.description === 'Default Response' ? meanings[status] : response.description;
  return { ...response, description, headers: headersOf(status, more) };
}

/** Whether the `data` of a response has this field. */
function hasField({ content }: ResponseObject, name: string, resolve: Resolve): boolean {
  const schema = content?.['application/json']?.schema;
  const data = schema && propertiesOf(resolve(schema)).data;
  return data !== undefined && name in propertiesOf(resolve(data));
}

const propertiesOf = ({ properties }: Schema) => (properties ?? {}) as Record<string, Schema>;

/** A write without a body counts as `{}`, which is valid where no field is required. */
function takesNothing(content: Record<string, { schema?: Schema | undefined }>, resolve: Resolve): boolean {
  const schema = content['application/json']?.schema;
  if (!schema) return false;
  const resolved = resolve(schema);
  return resolved.type === 'object' && fitsNothing(resolved);
}

/** Whether `{}` has all required fields, including those that conditions (`if`/`then`/`else`) require. */
function fitsNothing({ required, if: condition, ...branches }: Schema): boolean {
  if (Array.isArray(required) && required.length > 0) return false;
  const branch = condition && branches[fitsNothing(condition as Schema) ? 'then' : 'else'];
  return !branch || fitsNothing(branch as Schema);
}

function needs({ 'x-scope': scope }: Operation, method: string): string {
  if (scope === null) return 'Any valid credential may call this.';
  const permission = requiresAdmin(scope) ? 'Admin' : method === 'get' ? 'Read Only' : 'Read/Write';
  return `Requires the ${permission} permission and the \`${scope}\` scope.`;
}
