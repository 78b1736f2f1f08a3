import assert from 'node:assert/strict';
import { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

test('a health response has one request id: the valid one of the caller, or that of the gateway', async (t) => {
  const { call } = await startTestGateway(t);
  const ids = new Set<unknown>();
  const { setHeader } = ServerResponse.prototype;
  t.mock.method(ServerResponse.prototype, 'setHeader', function (this: ServerResponse, name: string, value: string) {
    if (name === 'x-request-id') ids.add(value);
    return setHeader.call(this, name, value);
  });
  for (const given of [undefined, 'given-by-the-probe', 'too short', 'x'.repeat(65)]) {
    ids.clear();
    const { headers, status } = await call('/health/live', given === undefined ? {} : { headers: { 'x-request-id': given } });
    assert.equal(status, 200);
    assert.deepEqual([...ids], [headers.get('x-request-id')], given);
  }
});
