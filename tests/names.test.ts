import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceNames } from '@mp/contracts/services';
import { testClient } from '@mp/test-kit/client';
import { testParts } from '@mp/test-kit/test-parts';
import { readDocument, resolved, type Schema } from '../libs/sdk/generate/openapi-document.ts';
import { buildApi } from '../scripts/generated-files.ts';

/** The name of a coupon is part of emails and cannot be changed. */
const fixedNames = ['updateCoupon'];
const methods = { post: 'POST', put: 'PUT' } as const;

test('no request sets a name with line breaks or other control characters', async (t) => {
  const checked: string[] = [];
  for (const service of serviceNames) {
    const { app } = buildApi(service, await testParts(t, service));
    t.after(() => app.close());
    await app.ready();
    const document = readDocument(JSON.stringify(app.swagger()));
    const hasName = (schema: Schema | undefined): boolean => {
      const { properties = {}, anyOf = [], oneOf = [], allOf = [] } = resolved(document, schema);
      return 'name' in properties || [...anyOf, ...oneOf, ...allOf].some(hasName);
    };
    const client = testClient(app, { permission: 'admin' });
    for (const [path, operations] of Object.entries(document.paths))
      for (const [key, method] of Object.entries(methods)) {
        const { operationId = '', requestBody } = operations[key] ?? {};
        if (!hasName(requestBody?.content?.['application/json']?.schema) || fixedNames.includes(operationId)) continue;
        checked.push(operationId);
        for (const name of ['a\0b', 'a\nb', 'a\u009bb']) {
          const { status, error, text } = await client.call(method, path.replaceAll(/\{\w+\}/g, '01h455vb4pex5vsknk084sn02q'), { name });
          const paths = error?.details?.map((detail: { path: string }) => detail.path) ?? [];
          assert.deepEqual([operationId, status, paths.includes('/name')], [operationId, 400, true], text);
        }
      }
  }
  for (const noun of ['Segment', 'Campaign', 'Template', 'ApiKey', 'OauthClient', 'Site', 'Goal', 'Workflow'])
    for (const verb of ['create', 'update']) assert.ok(checked.includes(`${verb}${noun}`), `${verb}${noun}`);
  for (const operation of ['updateAccount', 'inviteUser', 'updateUser']) assert.ok(checked.includes(operation), operation);
});
