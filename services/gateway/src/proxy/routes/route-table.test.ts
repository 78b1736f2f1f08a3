import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from './route.ts';
import { createRouteTable } from './route-table.ts';

const route = (method: Route['method'], path: string): Route => ({ method, path, service: 'contacts', scope: null, body_limit: 1 });

const table = createRouteTable([
  route('GET', '/v2/contacts'),
  route('POST', '/v2/contacts'),
  route('GET', '/v2/contacts/{id}'),
  route('DELETE', '/v2/contacts/{id}'),
  route('POST', '/v2/contacts/batch'),
  route('GET', '/v2/contacts/{id}/activity'),
]);

const pathOf = (method: string, path: string) => table.match(method, path)?.path;

test('finds the operation of a method and path', () => {
  assert.equal(pathOf('GET', '/v2/contacts'), '/v2/contacts');
  assert.equal(pathOf('GET', '/v2/contacts/contact_1'), '/v2/contacts/{id}');
  assert.equal(pathOf('GET', '/v2/contacts/contact_1/activity'), '/v2/contacts/{id}/activity');
  assert.equal(pathOf('GET', '/v2/contacts/a%20b'), '/v2/contacts/{id}');
});

test('a literal takes precedence over a parameter within one method', () => {
  assert.equal(pathOf('POST', '/v2/contacts/batch'), '/v2/contacts/batch');
  assert.equal(pathOf('GET', '/v2/contacts/batch'), '/v2/contacts/{id}');
});

test('every GET route also serves HEAD', () => {
  assert.equal(pathOf('HEAD', '/v2/contacts/contact_1'), '/v2/contacts/{id}');
  assert.deepEqual(table.methodsOf('/v2/contacts'), ['GET', 'HEAD', 'POST']);
  assert.deepEqual(table.methodsOf('/v2/contacts/batch'), ['DELETE', 'GET', 'HEAD', 'POST']);
  assert.deepEqual(table.methodsOf('/v2/nothing'), []);
});

for (const path of [
  '/V2/contacts',
  '/v2/Contacts',
  '/v2/contacts/',
  '/v2//contacts',
  '//v2/contacts',
  '/v2/contacts//activity',
  '/v2/contacts/.',
  '/v2/contacts/..',
  '/v2/./contacts',
  '/v2/contacts/%2e%2e',
  '/v2/contacts/%2E',
  '/v2/contacts/a%2fb',
  '/v2/contacts/a%5Cb',
  '/v2/contacts/a\\b',
  '/v2/contacts/%00',
  '/v2/contacts/%zz',
  '/v2/contacts/%ff',
  '/%762/contacts',
  '/v2/contact%73',
  '/v2',
  '',
])
  test(`${path || 'an empty path'} matches no route`, () => {
    assert.equal(pathOf('GET', path), undefined);
    assert.deepEqual(table.methodsOf(path), []);
  });

test('names of JavaScript properties match no route', () => {
  for (const name of ['__proto__', 'constructor', 'toString']) assert.equal(pathOf('GET', `/v2/${name}`), undefined);
});
