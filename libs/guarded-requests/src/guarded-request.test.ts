import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGuardedRequests, type Resolve } from './guarded-request.ts';

const failing = (code: string) => Object.assign(new Error(code), { code });

test('an internal name gets the same error as one that does not exist', async (t) => {
  const names: Record<string, () => ReturnType<Resolve>> = {
    'vault.corp.example': async () => [{ address: '10.0.0.7', family: 4 }],
    'mixed.corp.example': async () => [
      { address: '93.184.216.34', family: 4 },
      { address: 'fd00::7', family: 6 },
    ],
    'empty.corp.example': async () => [],
    'no-address.corp.example': () => Promise.reject(failing('ENODATA')),
    'none.corp.example': () => Promise.reject(failing('ENOTFOUND')),
  };
  const guarded = createGuardedRequests({
    allowPrivate: false,
    resolve: (hostname) => names[hostname]?.() ?? Promise.reject(failing('ENOTFOUND')),
  });
  t.after(() => guarded.stop());
  for (const name of Object.keys(names)) {
    const exchange = await guarded.send({ url: `https://${name}/`, method: 'GET', headers: {}, body: null }, new AbortController().signal);
    assert.deepEqual(exchange, { type: 'silent', reason: 'the host name does not resolve to a public address' }, name);
  }
});
