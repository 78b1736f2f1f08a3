import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeOpenapi } from './merge-openapi.ts';
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

test('an operation has one owner, whatever its parameters are called', () => {
  const one = document({ '/v2/things/{id}': { get: operation(null) } });
  const other = document({ '/v2/things/{thing_id}': { get: operation(null) } });
  assert.throws(() => routesFrom({ contacts: one, segments: other }), /claimed by contacts and by segments/);
});

test('an operation without a scope does not get into the table unnoticed', () => {
  assert.throws(() => routesFrom({ contacts: document({ '/v2/contacts': { get: { responses: {} } } }) }));
  assert.throws(() => routesFrom({ contacts: document({ '/v2/contacts': { get: operation('contacts:admin') } }) }));
});

test('the documents become one', () => {
  const contacts = document({ '/v2/contacts': { get: operation('contacts:read') } }, { Failure: { type: 'object' }, Contact: {} });
  const segments = document({ '/v2/segments': { get: operation('segments:read') } }, { Failure: { type: 'object' }, Segment: {} });
  const merged = mergeOpenapi({ contacts, segments });
  assert.deepEqual(Object.keys(merged.paths), ['/v2/contacts', '/v2/segments']);
  assert.deepEqual(Object.keys(merged.components.schemas), ['Contact', 'Failure', 'Segment']);
  assert.equal(merged.openapi, '3.1.0');
});

test('one name cannot mean two things', () => {
  const contacts = document({}, { Status: { enum: ['a'] } });
  const segments = document({}, { Status: { enum: ['b'] } });
  assert.throws(() => mergeOpenapi({ contacts, segments }), /schema Status of segments differs/);
});
