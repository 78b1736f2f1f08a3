import { createRequire } from 'node:module';
import type { OpenAPIResponseValidatorArgs } from 'openapi-response-validator';

/** A JSON document or a part of one. */
export type Json = ReturnType<typeof JSON.parse>;

/** A response. `body` is set if the text is JSON. */
type ActualResponse = { status: number; headers: Headers; text: string; body: Json };
type Validate = (status: number, body: Json) => string[];
type OperationOf = { id: string; method: string; template: string; operation: Json };
export type Contract = ReturnType<typeof createContract>;

type ResponseValidator = new (
  args: OpenAPIResponseValidatorArgs,
) => { validateResponse: (status: number, body: Json) => { message: string; errors?: { path?: string; message: string }[] } | undefined };
const { default: ResponseValidator }: { default: ResponseValidator } = createRequire(import.meta.url)('openapi-response-validator');

/** The JSON Schema keywords in these documents. The validator would silently ignore any other. */
const keywords = new Set(
  'type properties required additionalProperties propertyNames items minItems maxItems minLength maxLength minProperties maxProperties pattern format prefixItems minimum maximum exclusiveMinimum exclusiveMaximum multipleOf enum const anyOf oneOf allOf not $ref default description title examples example deprecated readOnly uniqueItems id discriminator if then else x-renamed-to'.split(
    ' ',
  ),
);

const formats: Record<string, RegExp> = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  date: /^\d{4}-\d\d-\d\d$/,
  email: /^[^@\s]+@[^@\s]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
};

/** The names of the schemas that a part of the document refers to. */
export const namesIn = (value: Json) =>
  [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name);

const mediaOf = (headers: Headers) => headers.get('content-type')?.split(';', 1)[0];

/** Checks that a response has a documented media type and charset, or no body if none is documented. Returns problems. */
function typeOf({ headers, text }: ActualResponse, documented: readonly string[]): string[] {
  const type = headers.get('content-type');
  if (documented.length === 0) return text === '' ? [] : [`an undocumented body of ${type}`];
  const expected = documented.map((media) => (media === 'application/x-ndjson' ? media : `${media}; charset=utf-8`));
  return type !== null && expected.includes(type) ? [] : [`content-type is ${type}, documented is ${expected.join(' or ')}`];
}

/** Checks that a file matches its media type. Returns problems. */
function fileFaults({ headers, text, body }: ActualResponse): string[] {
  if (body !== undefined) return ['JSON with another media type'];
  switch (mediaOf(headers)) {
    case undefined:
      return [];
    case 'text/csv': {
      return /^[^\n]+\n/.test(text) && text.endsWith('\n') ? [] : ['a CSV file without a header, or with an incomplete last line'];
    }
    case 'application/x-ndjson':
      return text === '' || (text.endsWith('\n') && text.trim().split('\n').every(isJson)) ? [] : ['lines that are not JSON'];
    case 'text/event-stream': {
      const lines = text.split('\n').filter((line) => line !== '');
      const areEvents =
        text.endsWith('\n\n') && lines.every((line) => /^(id|event|retry): ./.test(line) || isJson(line.replace(/^data: /, '')));
      return areEvents ? [] : ['lines that are not server-sent events'];
    }
    default:
      return [`no check for ${mediaOf(headers)}`];
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const isSchema = ({ type, $ref, anyOf, oneOf }: Json) =>
  typeof type === 'string' || Array.isArray(type) || typeof $ref === 'string' || Array.isArray(anyOf) || Array.isArray(oneOf);

/**
 * Converts a schema for the validator, which uses draft 7. Of the keywords used here, only one differs from 2020-12. Defaults
 * are left out: the validator would fill them in, which hides a missing field and changes what the next branch of a union gets.
 */
function inDraft7(value: Json): Json {
  if (Array.isArray(value)) return value.map(inDraft7);
  if (typeof value !== 'object' || value === null) return value;
  const isKept = (name: string) => name !== 'default' || !isSchema(value);
  const entries = Object.entries<Json>(value).flatMap(([name, member]) => (isKept(name) ? [[name, inDraft7(member)]] : []));
  const { prefixItems, items, ...rest } = Object.fromEntries(entries);
  if (Array.isArray(prefixItems)) return { ...rest, items: prefixItems, ...(items !== undefined && { additionalItems: items }) };
  return items === undefined ? rest : { ...rest, items };
}

/** Checks responses against the OpenAPI document of the gateway and reports every difference. */
export function createContract(document: Json) {
  const described: OperationOf[] = Object.entries<Json>(document.paths).flatMap(([template, byMethod]) =>
    Object.entries<Json>(byMethod).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      template,
      operation,
    })),
  );
  const trees = described.map(({ template }) => template.split('/'));
  const named: Record<string, Json> = inDraft7(document.components.schemas);
  const leadsTo = Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, namesIn(schema)]));
  const validators = new Map<string, Validate>();
  const failures = validatorOf({ default: document.components.responses.InternalError });

  /** The operations of this path. In each path segment a literal takes precedence over a parameter. */
  function at(path: string): OperationOf[] {
    const segments = path.split('/');
    const fits = described.filter((_, index) => {
      const tree = trees[index] ?? [];
      return tree.length === segments.length && tree.every((part, place) => part.startsWith('{') || part === segments[place]);
    });
    const literal = (template: string) => template.replaceAll(/\{[^}]*\}/g, '~');
    const [best] = fits.map(({ template }) => literal(template)).toSorted();
    return fits.filter(({ template }) => literal(template) === best);
  }

  function validatorOf(responses: Json): Validate {
    const validator = new ResponseValidator({
      responses: inDraft7(responses),
      components: { schemas: closure(namesIn(responses)) },
      customFormats: Object.fromEntries(
        Object.entries(formats).map(([name, pattern]) => [name, (value: unknown) => pattern.test(String(value))]),
      ),
    } as OpenAPIResponseValidatorArgs);
    return (status, body) => {
      const found = validator.validateResponse(status, body);
      return found ? (found.errors ?? []).map(({ path, message }) => `body ${path ?? ''}: ${message}`) : [];
    };
  }

  /** The named schemas and all schemas they refer to. */
  function closure(names: readonly string[], found: Record<string, Json> = {}): Record<string, Json> {
    for (const name of names) {
      if (name in found) continue;
      found[name] = named[name];
      closure(leadsTo[name] ?? [], found);
    }
    return found;
  }

  function failure({ status, body }: ActualResponse): string[] {
    return [...failures(status, body), ...(body?.success === false ? [] : ['a failure without the envelope'])];
  }

  function headersOf(response: Json, headers: Headers): string[] {
    return Object.entries<Json>(response.headers ?? {}).flatMap(([name, ref]) => {
      const described = ref.$ref ? document.components.headers[ref.$ref.split('/').at(-1)] : ref;
      const value = headers.get(name);
      if (value === null) return described.required ? [`header ${name} is missing`] : [];
      const { type, pattern, const: only } = described.schema;
      const fits =
        (type !== 'integer' || /^\d+$/.test(value)) &&
        (pattern === undefined || new RegExp(pattern).test(value)) &&
        (only === undefined || only === value);
      return fits ? [] : [`header ${name} is ${value}`];
    });
  }

  return {
    document,
    /** The operations under /v2. */
    operations: described.filter(({ template }) => template.startsWith('/v2/')),

    /** The differences between this response and the document; empty if it conforms. */
    departures(method: string, target: string, actual: ActualResponse): string[] {
      const path = target.split('?', 1)[0] ?? '';
      const known = at(path);
      if (known.length === 0 && !path.startsWith('/v2')) return [];
      const found = known.find((entry) => entry.method === (method === 'HEAD' ? 'GET' : method));
      const { status, headers, body } = actual;
      if (!found) {
        const type = typeOf(actual, ['application/json']);
        const expected = known.length > 0 ? [401, 405, 414, 431] : [400, 401, 404, 414, 431];
        const allow = status === 405 && headers.get('allow') === null ? ['405 without Allow'] : [];
        const unexpected = expected.includes(status) ? [] : [`${status} for an operation that does not exist`];
        return [...unexpected, ...allow, ...type, ...(method === 'HEAD' ? [] : failure(actual))];
      }
      const { responses } = found.operation;
      if (!(status in responses)) return [`${status} is not documented`];
      const ref: string | undefined = responses[status].$ref;
      const response = ref ? document.components.responses[ref.split('/').at(-1) ?? ''] : responses[status];
      const about = [...typeOf(actual, Object.keys(response.content ?? {})), ...headersOf(response, headers)];
      if (method === 'HEAD') return about;
      if (mediaOf(headers) !== 'application/json') return [...about, ...fileFaults(actual)];
      if (ref) return [...about, ...failure(actual)];
      const key = `${found.method} ${found.template} ${status}`;
      const validate = validators.get(key) ?? validatorOf({ [status]: response });
      validators.set(key, validate);
      const unsuccessful = found.template.startsWith('/v2/') && body?.success !== true ? ['a response without the envelope'] : [];
      return [...about, ...unsuccessful, ...validate(status, body)];
    },

    /** The keywords in the document that the validator does not support. */
    unknownKeywords(): string[] {
      const unknown = new Set<string>();
      const look = (schema: Json) => {
        if (typeof schema !== 'object' || schema === null) return;
        for (const [keyword, value] of Object.entries<Json>(schema)) {
          if (!keywords.has(keyword)) unknown.add(keyword);
          if (keyword === 'properties') for (const member of Object.values(value)) look(member);
          else if (['anyOf', 'oneOf', 'allOf'].includes(keyword)) for (const option of value) look(option);
          else if (['items', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'].includes(keyword)) look(value);
        }
      };
      for (const schema of Object.values(document.components.schemas)) look(schema);
      for (const { operation } of described) {
        for (const { schema } of operation.parameters ?? []) look(schema);
        for (const part of [operation.requestBody ?? {}, ...Object.values<Json>(operation.responses)])
          for (const { schema } of Object.values<Json>(part.content ?? {})) look(schema);
      }
      return [...unknown];
    },
  };
}
