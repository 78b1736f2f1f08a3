import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { slowClients, standStill, trickle } from '../../../test/slow-clients.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

/** The number of slow clients of each kind. */
const slow = 2_000;
const requestCount = 300;

const at = (sorted: readonly number[], share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);

test('2,000 slow clients of any kind do not affect other requests', async (t) => {
  const { url, call, send, makeKey, service } = await startTestGateway(t);
  const key = await makeKey();
  const theirs = await makeKey();
  const large = Buffer.alloc(32 * 2 ** 20);
  service.behave((req, res) => res.writeHead(200).end(req.url === '/v2/contacts/large' ? large : '{}'));

  const requests: readonly (() => Promise<{ status: number }>)[] = [
    () => call('/v2/me', { key }),
    () => call('/v2/contacts', { key }),
    () => send('POST', '/v2/contacts', { email: 'ada@example.com' }, { key }),
    () => send('POST', '/v2/contacts/batch', { contacts: [] }, { key }),
    () => call('/health/ready'),
    () => call('/t/x'),
    () => call('/.well-known/oauth-authorization-server'),
  ];

  /** The times of all other requests, each of which succeeds. */
  async function measure(t: TestContext, what: string) {
    const times: number[] = [];
    for (let index = 0; index < requestCount; index += 1) {
      const began = performance.now();
      const { status } = (await requests[index % requests.length]?.()) ?? { status: 0 };
      assert.equal(status, 200);
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    t.diagnostic(`${what}: p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms`);
  }

  await measure(t, 'warming up');
  await measure(t, 'no slow clients');
  for (const [kind, client] of Object.entries(slowClients(theirs.authorization))) {
    await t.test(`that send ${kind}`, async (t) => {
      t.after(await trickle(url, slow, client));
      await measure(t, kind);
    });
  }
  for (const [kind, target, headers] of [
    ['a public document', '/openapi.json', ''],
    ['something of their account', '/v2/contacts/large', `authorization: ${theirs.authorization}\r\n`],
  ] as const) {
    await t.test(`that ask for ${kind} and do not read it`, async (t) => {
      t.after(await standStill(url, slow, target, headers));
      await measure(t, kind);
    });
  }
  await measure(t, 'no slow clients any more');
});
