import { type Described, operationsOf, resolved } from './markdown.ts';
import type { Operation, Parameter } from './openapi-types.ts';

/**
 * A Postman collection (https://schema.postman.com/collection/json/v2.1.0) with a folder for each resource. Requests have the example of
 * the OpenAPI document as their body; optional parameters are there, switched off.
 */
export function postmanCollection(document: Described) {
  const folder = ({ name, description = '' }: Described['tags'][number]) => ({
    name,
    description,
    item: operationsOf(document, name).map(({ method, path, operation }) => {
      const request = requestOf(document, path, operation);
      return { name: operation.summary ?? path, request: { method, ...request, description: operation.description ?? '' } };
    }),
  });
  return {
    info: {
      name: document.info.title,
      description: 'Set `api_key` to a key of your account, and `base_url` to the address of your platform.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: 'http://localhost:8080' },
      { key: 'api_key', value: '' },
    ],
    item: document.tags.map(folder).filter(({ item }) => item.length > 0),
  };
}

function requestOf({ components }: Described, path: string, { parameters = [], requestBody, security }: Operation) {
  const all = parameters.map((parameter) => resolved(parameter, components.parameters));
  const rowsIn = (place: string) => all.filter((parameter) => parameter.in === place).map(rowOf);
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const template = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return {
    url: {
      raw: `{{base_url}}${template}`,
      host: ['{{base_url}}'],
      path: template.slice(1).split('/'),
      query: rowsIn('query'),
      variable: rowsIn('path'),
    },
    header: [...(type ? [{ key: 'Content-Type', value: type }] : []), ...rowsIn('header')],
    ...(type && { body: bodyOf(type, content?.example) }),
    ...(takesNoKey(security) && { auth: { type: 'noauth' } }),
  };
}

const rowOf = ({ name, required, example, description }: Parameter) => ({
  key: name,
  value: example === undefined ? '' : String(example),
  description: String(description ?? ''),
  ...(!required && { disabled: true }),
});

function bodyOf(type: string, example: unknown) {
  if (type === 'application/x-www-form-urlencoded')
    return { mode: 'urlencoded', urlencoded: Object.entries(Object(example)).map(([key, value]) => ({ key, value: String(value) })) };
  const raw = typeof example === 'string' ? example : JSON.stringify(example ?? {}, null, 2);
  return { mode: 'raw', raw, options: { raw: { language: type === 'application/json' ? 'json' : 'text' } } };
}

const takesNoKey = (security: unknown) => Array.isArray(security) && !security.some((scheme) => 'bearer' in Object(scheme));
