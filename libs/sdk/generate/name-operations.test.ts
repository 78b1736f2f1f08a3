import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { nameOperations } from './name-operations.ts';
import { readDocument } from './openapi-document.ts';
import { readOperations } from './read-operations.ts';

const name = (operationId: string, path: string, paginated = false) => ({ operationId, path, tag: 'oauth', paginated });

test('names follow from paths and operationIds', () => {
  const operations = [
    name('listContacts', '/v2/contacts', true),
    name('searchContacts', '/v2/contacts/search', true),
    name('getConsent', '/v2/contacts/{id}/consent'),
    name('listImports', '/v2/contacts/imports', true),
    name('getImportErrors', '/v2/contacts/imports/{id}/errors.csv'),
    name('listAttributes', '/v2/contacts/attributes', true),
    name('rotateApiKey', '/v2/settings/api-keys/{id}/rotate'),
    name('getWebhook', '/v2/webhooks/{id}'),
    name('listWebhookDeliveries', '/v2/webhooks/{id}/deliveries', true),
    name('getWebhookDelivery', '/v2/webhooks/deliveries/{id}'),
    name('dryRunCampaign', '/v2/campaigns/{id}/dry-run'),
    name('getMe', '/v2/me'),
    name('createOauthToken', '/oauth/token'),
  ];
  const names = [...nameOperations(operations).values()].map(({ namespace, method }) => [...namespace, method].join('.'));
  assert.deepEqual(names, [
    ...[
      'contacts.list',
      'contacts.search',
      'contacts.consent',
      'contacts.imports.list',
      'contacts.imports.errors',
      'contacts.attributes.list',
    ],
    ...[
      'settings.apiKeys.rotate',
      'webhooks.get',
      'webhooks.deliveries.list',
      'webhooks.deliveries.get',
      'campaigns.dryRun',
      'me',
      'oauth.createToken',
    ],
  ]);
});

test('every operation of the document has its own name, and none has the name of a namespace', async () => {
  const text = await readFile(new URL('../../../services/gateway/config/openapi.json', import.meta.url), 'utf8');
  const operations = readOperations(readDocument(text));
  const names = operations.map(({ namespace, method }) => [...namespace, method].join('.'));
  assert.equal(new Set(names).size, names.length);
  const namespaces = new Set(operations.flatMap(({ namespace }) => namespace.map((_, index) => namespace.slice(0, index + 1).join('.'))));
  assert.deepEqual(
    names.filter((one) => namespaces.has(one)),
    [],
  );
});
