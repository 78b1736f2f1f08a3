import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeOpenapi } from '../../documentation/merge-openapi.ts';
import { oauthDocument } from '../../settings/oauth/oauth-paths.ts';
import { routesFrom } from './routes-from.ts';

const document = (paths: object, schemas: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'x', version: '1' },
  paths,
  components: { schemas, securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
});
const operation = (scope: string | null, more: object = {}) => ({ 'x-scope': scope, tags: ['t'], responses: {}, ...more });

test('the table has one sorted row per operation', () => {
  const contacts = document({
    '/v2/contacts': { post: operation('contacts:write'), get: operation('contacts:read') },
    '/v2/contacts/batch': { post: operation('contacts:write', { 'x-body-limit': 10_485_760 }) },
  });
  assert.deepEqual(routesFrom({ gateway: document({ '/v2/me': { get: operation(null) } }), contacts }), [
    { method: 'GET', path: '/v2/contacts', service: 'contacts', scope: 'contacts:read', body_limit: 1_048_576 },
    { method: 'POST', path: '/v2/contacts', service: 'contacts', scope: 'contacts:write', body_limit: 1_048_576 },
    { method: 'POST', path: '/v2/contacts/batch', service: 'contacts', scope: 'contacts:write', body_limit: 10_485_760 },
    { method: 'GET', path: '/v2/me', service: 'gateway', scope: null, body_limit: 1_048_576 },
  ]);
});

test('an operation belongs to one service, whatever its parameters are called', () => {
  const one = document({ '/v2/things/{id}': { get: operation(null) } });
  const other = document({ '/v2/things/{thing_id}': { get: operation(null) } });
  assert.throws(() => routesFrom({ contacts: one, segments: other }), /claimed by contacts and by segments/);
});

test('rejects an operation that does not declare a scope', () => {
  assert.throws(() => routesFrom({ contacts: document({ '/v2/contacts': { get: { responses: {} } } }) }));
  assert.throws(() => routesFrom({ contacts: document({ '/v2/contacts': { get: operation('contacts:admin') } }) }));
});

const answering = (name: string) => ({
  responses: { 200: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } } },
});

const noWebhooks = { webhooks: {}, schemas: {} };

test('merges the documents into one', () => {
  const schemas = { Failure: { type: 'object' }, FailureInput: { type: 'object' } };
  const contacts = document({ '/v2/contacts': { get: operation('contacts:read', answering('Contact')) } }, { ...schemas, Contact: {} });
  const segments = document({ '/v2/segments': { get: operation('segments:read', answering('Segment')) } }, { ...schemas, Segment: {} });
  const merged = mergeOpenapi({ contacts, segments }, {}, undefined, noWebhooks);
  assert.deepEqual(Object.keys(merged.paths), ['/v2/contacts', '/v2/segments']);
  assert.deepEqual(Object.keys(merged.components.schemas), ['Contact', 'Failure', 'Segment']);
  assert.equal(merged.openapi, '3.1.0');
});

test('request and response schemas share a name only if they are equal', () => {
  const link = (name: string) => ({ type: 'object', properties: { next: { $ref: `#/components/schemas/${name}` } } });
  const schemas = {
    Same: link('Same'),
    SameInput: link('SameInput'),
    Loose: { type: 'string', default: 'a' },
    LooseInput: { type: 'string' },
  };
  const body = (name: string) => ({
    requestBody: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } },
  });
  const documents = {
    contacts: document(
      { '/v2/a': { post: operation(null, body('SameInput')) }, '/v2/b': { post: operation(null, body('LooseInput')) } },
      schemas,
    ),
  };
  const merged = mergeOpenapi(documents, {}, undefined, noWebhooks);
  assert.deepEqual(merged.components.schemas, { Same: schemas.Same, LooseInput: schemas.LooseInput });
});

test('an operation lists every status and header that the platform adds', () => {
  const contact = { type: 'object', properties: { data: { type: 'object', properties: { revision: { type: 'integer' } } } } };
  const response = { content: { 'application/json': { schema: contact } } };
  const paths = {
    '/v2/contacts': { post: operation('contacts:write', { requestBody: { content: {} }, responses: { 201: response } }) },
    '/v2/contacts/{id}': {
      get: operation('contacts:read', { responses: { 200: response } }),
      delete: operation('contacts:write', { 'x-if-match': true, responses: { 200: { content: {} } } }),
    },
  };
  const merged = mergeOpenapi({ contacts: document(paths) }).paths as Record<string, Record<string, Record<string, object>>>;
  const statusesOf = (path: string, method: string) => Object.keys(merged[path]?.[method]?.responses ?? {}).join(' ');
  assert.equal(statusesOf('/v2/contacts', 'post'), '201 400 401 403 405 409 413 414 415 417 422 429 431 500 502 503 504');
  assert.equal(statusesOf('/v2/contacts/{id}', 'get'), '200 400 401 403 404 405 414 429 431 500 502 503 504');
  assert.equal(statusesOf('/v2/contacts/{id}', 'delete'), '200 400 401 403 404 405 409 412 414 422 429 431 500 502 503 504');
  const { parameters, responses } = merged['/v2/contacts/{id}']?.delete ?? {};
  const [key, match] = parameters as { name?: string; $ref?: string }[];
  assert.deepEqual([key?.name, match?.$ref], ['Idempotency-Key', '#/components/parameters/IfMatch']);
  assert.ok('Idempotent-Replayed' in ((responses as Record<string, { headers: object }>)[200]?.headers ?? {}));
  const created = merged['/v2/contacts']?.post?.responses as Record<string, { headers: object }>;
  assert.ok('Location' in (created[201]?.headers ?? {}) && 'ETag' in (created[201]?.headers ?? {}));
});

test('a POST that only reads has no Idempotency-Key, and a file that is not ready is 409', () => {
  const body = { requestBody: { content: { 'application/json': { schema: { type: 'object' } } } } };
  const paths = {
    '/v2/contacts/search': { post: operation('contacts:read', { 'x-reads': true, ...body, responses: { 200: { content: {} } } }) },
    '/v2/contacts/exports/{id}/file': { get: operation('contacts:read', { 'x-produces': ['text/csv'], responses: { 200: {} } }) },
  };
  const merged = mergeOpenapi({ contacts: document(paths) }).paths as Record<string, Record<string, Record<string, object>>>;
  const search = merged['/v2/contacts/search']?.post;
  assert.deepEqual(search?.parameters, []);
  assert.ok(search.responses && !('422' in search.responses) && !('x-reads' in search));
  assert.ok('409' in (merged['/v2/contacts/exports/{id}/file']?.get?.responses ?? {}));
});

test('the OAuth endpoints are included unchanged', () => {
  const contacts = document({ '/v2/contacts': { get: operation('contacts:read', { tags: ['contacts'] }) } });
  const merged = mergeOpenapi({ contacts }, {}, oauthDocument);
  assert.deepEqual(Object.keys(merged.paths), ['/.well-known/oauth-authorization-server', '/oauth/revoke', '/oauth/token', '/v2/contacts']);
  assert.deepEqual(
    merged.tags.map(({ name }) => name),
    ['Contacts', 'OAuth'],
  );
  for (const name of ['OauthToken', 'OauthFailure', 'OauthMetadata', 'TokenForm', 'RevocationForm'])
    assert.equal(merged.components.schemas[name]?.type, 'object', name);
});

test('rejects one name with two meanings', () => {
  const contacts = document({}, { Status: { enum: ['a'] } });
  const segments = document({}, { Status: { enum: ['b'] } });
  assert.throws(() => mergeOpenapi({ contacts, segments }), /schema Status of segments differs/);
});
