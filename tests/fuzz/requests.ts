import fc from 'fast-check';
import type { Contract, Json } from '../contract.ts';
import { anyValue } from './any-value.ts';

export type Operation = Contract['operations'][number];
export type Request = { method: string; target: string; body?: Json; headers?: Record<string, string>; text?: string };

/** Valid requests; their target starts with the template of the path. */
export function validRequest({ document }: Contract, { method, operation, template: path }: Operation): fc.Arbitrary<Request> {
  const { schemas } = document.components;
  const query = queryParameters(operation);
  const body = bodySchema(operation);
  const media = mediaOf(operation);
  const isFile = media !== undefined && media !== 'application/json';
  return fc
    .record({
      parameters: fc.record<Record<string, Json>>(Object.fromEntries(query.map(({ name, schema }) => [name, anyValue(schema, schemas)])), {
        requiredKeys: query.filter(({ required }) => required).map(({ name }): string => name),
      }),
      kept: fc.array(fc.nat(), { maxLength: 3 }),
      body: body ? anyValue(body, schemas) : fc.constant(undefined),
      text: isFile ? fc.oneof(fc.constant('email\nada@example.com\n'), fc.string({ maxLength: 200 })) : fc.constant(undefined),
      key: method === 'GET' ? fc.constant(undefined) : fc.option(fc.uuid(), { nil: undefined }),
    })
    .map(({ parameters, kept, body, text, key }) => ({
      method,
      target: withQuery(path, fewOf(parameters, kept, query)),
      ...(body !== undefined && { body }),
      ...(text !== undefined && { text }),
      headers: { ...(key !== undefined && { 'idempotency-key': key }), ...(media !== undefined && { 'content-type': media }) },
    }));
}

/** The required parameters and up to three others, because requests rarely combine many filters. */
function fewOf(parameters: Record<string, Json>, kept: readonly number[], query: readonly Json[]): Record<string, Json> {
  const names = Object.keys(parameters);
  const chosen = new Set(kept.map((index) => names[index % Math.max(1, names.length)]));
  const needed = new Set(query.filter(({ required }) => required).map(({ name }) => name));
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => needed.has(name) || chosen.has(name)));
}

/** Invalid requests, each with its fault. */
export function invalidRequests(contract: Contract, operation: Operation): fc.Arbitrary<Request & { fault: string }> {
  const { schemas } = contract.document.components;
  const path = operation.template;
  const valid = validRequest(contract, operation);
  const faults: fc.Arbitrary<Request & { fault: string }>[] = [
    fc
      .tuple(valid, unheardOf)
      .map(([request, name]) => ({ ...request, target: withQuery(request.target, { [name]: '1' }), fault: 'unknown parameter' })),
  ];
  if (operation.operation.parameters?.some(({ name }: Json) => name === 'limit')) {
    const limit = fc.constantFrom('0', '-1', '101', '1.5', 'ten', '', '1e9', 'NaN');
    faults.push(limit.map((value) => ({ method: 'GET', target: withQuery(path, { limit: value }), fault: 'limit outside its range' })));
    const cursor = fc.string({ minLength: 1, maxLength: 80 });
    faults.push(cursor.map((value) => ({ method: 'GET', target: withQuery(path, { cursor: value }), fault: 'forged cursor' })));
  }
  const schema = bodySchema(operation.operation);
  if (schema) {
    const resolved = schema.$ref ? schemas[schema.$ref.split('/').at(-1)] : schema;
    faults.push(
      fc
        .constantFrom('{', '{"a":}', '[1,', 'nul', '{"a":1}}')
        .map((text) => ({ method: operation.method, target: path, text, fault: 'malformed JSON' })),
    );
    faults.push(
      fc
        .constantFrom<Json>([], 'text', 1, true, null)
        .map((body) => ({ method: operation.method, target: path, body, fault: 'not an object' })),
    );
    if (resolved.type === 'object' && resolved.additionalProperties === false) {
      faults.push(
        fc.tuple(valid, unheardOf).map(([request, name]) => ({ ...request, body: { ...request.body, [name]: 1 }, fault: 'unknown field' })),
      );
      const members = Object.keys(resolved.properties ?? {});
      if (members.length > 0)
        faults.push(
          // No field of any body is a list of lists of null.
          fc
            .tuple(valid, fc.constantFrom(...members))
            .map(([request, name]) => ({ ...request, body: { ...request.body, [name]: [[null]] }, fault: `wrong type of ${name}` })),
        );
      // A deprecated field can take the place of the one that replaced it.
      const deprecated = members.filter((name) => resolved.properties[name].deprecated);
      for (const name of resolved.required ?? [])
        faults.push(
          valid.map(({ body, ...request }) => {
            const rest = Object.fromEntries(Object.entries(body).filter(([other]) => other !== name && !deprecated.includes(other)));
            return { ...request, body: rest, fault: `${name} is missing` };
          }),
        );
    }
  }
  return fc.oneof(...faults);
}

const unheardOf = fc.stringMatching(/^zz_[a-z]{1,12}$/);

/** The media type of the body: JSON if the operation accepts it. */
function mediaOf(operation: Json): string | undefined {
  const types = Object.keys(operation.requestBody?.content ?? {});
  return types.includes('application/json') ? 'application/json' : types[0];
}

export const bodySchema = (operation: Json): Json | undefined => operation.requestBody?.content['application/json']?.schema;

const queryParameters = (operation: Json): Json[] => (operation.parameters ?? []).filter((parameter: Json) => parameter.in === 'query');

export function withQuery(path: string, parameters: Record<string, Json>): string {
  const query = new URLSearchParams(
    Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)])),
  ).toString();
  if (query === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
