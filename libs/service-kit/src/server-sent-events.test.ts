import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { type TestContext, test } from 'node:test';
import { contextHeader, signContext } from '@mp/contracts/context';
import { type AccountId, newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { contextKeys, testParts } from '@mp/test-kit/test-parts';
import { createServer } from './create-server.ts';
import { createEventStreams, type EventStream } from './server-sent-events.ts';

type Source = (stream: EventStream) => AsyncIterable<string>;

async function* untilOver(stream: EventStream) {
  do yield ': alive\n\n';
  while (await stream.continues(60_000));
}

/** A service whose only route has open streams: at most eight in the process, and three for each account. */
async function streaming(t: TestContext, source: Source = untilOver) {
  const suspended = new Set<AccountId>();
  const streams = createEventStreams({ max: 8, maxPerAccount: 3, suspended });
  const app = createServer(await testParts(t, 'kit'));
  app.get('/v2/stream', { config: { scope: 'contacts:read' } }, (request, reply) =>
    streams.send(request, reply, async (stream) => source(stream)),
  );
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(async () => {
    await streams.stop();
    app.server.closeAllConnections();
    await app.close();
  });

  async function open(account_id: AccountId, accept = 'text/event-stream') {
    const context = {
      ...{ account_id, principal_id: newId('key'), permission: 'read_only' as const, scopes: null },
      ...{ request_id: newId('request'), expires_at: Date.now() + 60_000 },
    };
    const headers = { accept, [contextHeader]: signContext(contextKeys, context, 'GET', '/v2/stream') };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request = get(`${origin}/v2/stream`, { headers, agent: false }, resolve).once('error', reject);
    const response = await promise;
    // A destroyed response is an error of the request.
    request.on('error', () => undefined);
    response.on('error', () => undefined).resume();
    return { status: response.statusCode, response, leave: () => request.destroy() };
  }
  const openMany = (account: AccountId, count: number) => Promise.all(Array.from({ length: count }, () => open(account)));
  return { open, openMany, streams, suspended };
}

const statusesOf = (opened: readonly { status: number | undefined }[]) => opened.map(({ status }) => status ?? 0).sort();

test('event streams', async (t) => {
  await t.test('an account has its limit, and half of the slots are kept for accounts that have no stream', async (t) => {
    const { open, openMany } = await streaming(t);
    assert.deepEqual(statusesOf(await openMany(newId('account'), 5)), [200, 200, 200, 429, 429]);
    assert.deepEqual(statusesOf(await openMany(newId('account'), 3)), [200, 503, 503]);
    const others = Array.from({ length: 5 }, () => newId('account'));
    assert.deepEqual(statusesOf(await Promise.all(others.map((account) => open(account)))), [200, 200, 200, 200, 503]);
  });

  await t.test('a response that does not stay open takes no slot', async (t) => {
    const { open, openMany } = await streaming(t, async function* (stream) {
      yield ': alive\n\n';
      // Without waiting for the time: nothing else ends this response.
      if (await stream.continues(0)) await new Promise(() => undefined);
    });
    const account = newId('account');
    const read = await Promise.all(Array.from({ length: 20 }, () => open(account, '*/*')));
    assert.deepEqual([...new Set(statusesOf(read))], [200]);
    assert.deepEqual(statusesOf(await openMany(account, 3)), [200, 200, 200]);
  });

  await t.test('a client that disconnects frees its slot within a second, whatever its stream is waiting for', async (t) => {
    const { open, openMany } = await streaming(t, async function* () {
      yield ': alive\n\n';
      await new Promise(() => undefined);
    });
    const account = newId('account');
    /** The milliseconds until three streams are open, which then leave. */
    async function untilOpened() {
      const began = performance.now();
      const opened = await eventually(async () => {
        const some = await openMany(account, 3);
        if (some.every(({ status }) => status === 200)) return some;
        for (const { leave } of some) leave();
        return undefined;
      });
      for (const { leave } of opened) leave();
      return performance.now() - began;
    }
    // The first round finds all slots free. A busy machine delays one or another.
    await untilOpened();
    await eventually(async () => (await untilOpened()) < 1_000);
    assert.equal((await open(newId('account'))).status, 200);
  });

  await t.test('a rejected source takes no slot', async (t) => {
    const { openMany } = await streaming(t, () => {
      throw new Error('no events');
    });
    for (let round = 0; round < 3; round += 1) assert.deepEqual(statusesOf(await openMany(newId('account'), 3)), [500, 500, 500]);
  });

  await t.test('end when the account is suspended and when the process stops', async (t) => {
    const looking = await streaming(t, async function* (stream) {
      do yield ': alive\n\n';
      while (await stream.continues(20));
    });
    const [held, other] = [newId('account'), newId('account')];
    const [ofHeld, ofOther] = [await looking.open(held), await looking.open(other)];
    looking.suspended.add(held);
    await eventually(async () => ofHeld.response.complete);
    assert.equal((await looking.open(held)).status, 403);
    assert.equal(ofOther.response.complete, false);
    await looking.streams.stop();
    await eventually(async () => ofOther.response.complete);
  });
});
