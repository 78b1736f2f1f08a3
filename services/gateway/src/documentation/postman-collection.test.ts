import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Described } from './markdown.ts';
import { postmanCollection } from './postman-collection.ts';

const document: Described = JSON.parse(readFileSync(new URL('../../config/openapi.json', import.meta.url), 'utf8'));

test('the Postman collection', async (t) => {
  const requests = postmanCollection(document).item.flatMap(({ item }) => item);
  const named = (name: string) => requests.find((request) => request.name === name)?.request ?? assert.fail(name);

  await t.test('has every operation once', () => {
    const operations = Object.entries(document.paths).flatMap(([path, byMethod]) =>
      Object.keys(byMethod).map((method) => `${method.toUpperCase()} {{base_url}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    assert.deepEqual(requests.map(({ request }) => `${request.method} ${request.url.raw}`).sort(), operations.sort());
  });

  await t.test('sends the example of the documentation, and no optional parameter unless it is switched on', () => {
    const list = named('List contacts');
    assert.ok(list.url.query.length > 3);
    assert.ok(list.url.query.every(({ disabled }) => disabled));
    assert.deepEqual(named('Get a contact').url.variable[0], {
      key: 'id',
      value: 'contact_01kjn2v0a7e8ws3q4m5x6y0001',
      description: 'Unique ID.',
    });
    const body = named('Create a contact').body ?? assert.fail();
    assert.match(JSON.parse(String(body.raw)).email, /@/);
  });

  await t.test('sends the key to everything but the requests for tokens', () => {
    const without = requests.filter(({ request }) => request.auth !== undefined).map(({ request }) => request.url.raw);
    assert.deepEqual(without.sort(), [
      '{{base_url}}/.well-known/oauth-authorization-server',
      '{{base_url}}/oauth/revoke',
      '{{base_url}}/oauth/token',
    ]);
  });
});
