import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '@mp/service-kit/logger';
import fc from 'fast-check';
import { startSmtpSink } from '../../../test/smtp-sink.ts';
import { createSmtp } from './smtp-connections.ts';
import { createSmtpServers, mailServersOf } from './smtp-servers.ts';

const logger = createLogger('test', 'silent');
const soon = async () => Date.now() + 60_000;
const raw = Buffer.from('Subject: hi\r\n\r\nhi\r\n');

test('mail servers are separated by spaces, each with an optional weight', () => {
  assert.deepEqual(mailServersOf('smtp://user:p%40ss@a.example:587'), [{ url: 'smtp://user:p%40ss@a.example:587', weight: 1 }]);
  assert.deepEqual(mailServersOf('smtp://a.example:25?weight=3  smtps://b.example'), [
    { url: 'smtp://a.example:25', weight: 3 },
    { url: 'smtps://b.example', weight: 1 },
  ]);
  for (const wrong of ['', 'http://a.example', 'smtp://a.example?weight=0', 'smtp://a.example?weight=1.5', 'smtp://a.example b.example'])
    assert.equal(mailServersOf(wrong), undefined, wrong);
});

test('several mail servers', async (t) => {
  const sinks = [await startSmtpSink(t), await startSmtpSink(t), await startSmtpSink(t)];
  const pools = sinks.map(({ url }) => createSmtp({ url: async () => url, connections: 2, deliveryMs: 60_000, logger }));
  t.after(() => {
    for (const pool of pools) pool.stop();
  });
  let now = 0;
  const together = (weights: readonly number[], random?: () => number) =>
    createSmtpServers(
      weights.flatMap((weight, index) => {
        const smtp = pools[index];
        return smtp ? [{ smtp, weight, name: String(index) }] : [];
      }),
      { logger, now: () => now, ...(random && { random }) },
    );
  const counts = () => sinks.map(({ received }) => received.length);
  const send = async (smtp: ReturnType<typeof together>, to: string, begin = soon) => {
    const delivery = await smtp.deliver({ from: 'a@example.com', to }, raw, { mayStart: async () => true, beforeContent: begin });
    return delivery?.kind;
  };

  await t.test('share the emails by weight', async () => {
    let turn = 0;
    // Evenly spread, so that the shares are exact.
    const smtp = together([3, 1], () => {
      turn += 1;
      return turn % 2 === 1 ? (Math.floor(turn / 2) % 8) / 8 : 0;
    });
    for (let email = 0; email < 16; email += 1) assert.equal(await send(smtp, `p${email}@example.com`), 'accepted');
    assert.deepEqual(counts(), [12, 4, 0]);
  });

  await t.test('take over from an unreachable one, which is retried with a single email; no email is begun or sent twice', async () => {
    const smtp = together([1_000, 1]);
    const before = counts();
    await sinks[0]?.close();
    let begun = 0;
    const begin = () => {
      begun += 1;
      return soon();
    };
    for (let email = 0; email < 5; email += 1) assert.equal(await send(smtp, `q${email}@example.com`, begin), 'accepted');
    assert.deepEqual([begun, (counts()[1] ?? 0) - (before[1] ?? 0)], [5, 5]);
    now += 1_000;
    sinks[0] = await startSmtpSink(t, { port: sinks[0]?.port ?? 0 });
    assert.equal(await send(smtp, 'back@example.com'), 'accepted');
    assert.equal(sinks[0].to('back@example.com').length, 1, 'it is used again');
  });

  await t.test('report an email as not sent if no server can be reached, and a rejection without asking another server', async () => {
    const smtp = together([1, 1]);
    for (const sink of sinks.slice(0, 2)) sink.behave(() => ({ rcpt: 550, text: '5.1.1 no such user' }));
    assert.equal(await send(smtp, 'nobody@example.com'), 'refused');
    assert.equal(
      sinks.reduce((sum, sink) => sum + (sink.attempts.get('nobody@example.com') ?? 0), 0),
      1,
    );
    await Promise.all(sinks.slice(0, 2).map((sink) => sink.close()));
    assert.equal(await send(smtp, 'later@example.com'), 'unreachable');
    assert.equal(await send(smtp, 'later@example.com'), 'unreachable');
  });

  await t.test('get a share close to their weight, whatever the weights', async () => {
    const counting = (seen: number[], index: number) => ({
      deliver: async () => {
        seen[index] = (seen[index] ?? 0) + 1;
        return { kind: 'accepted' as const, response: '250 OK' };
      },
      stop: () => undefined,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }), async (weights) => {
        const seen: number[] = [];
        const smtp = createSmtpServers(
          weights.map((weight, index) => ({ smtp: counting(seen, index), weight, name: '' })),
          { logger },
        );
        for (let email = 0; email < 2_000; email += 1) await send(smtp, 'x@example.com');
        const sum = weights.reduce((total, weight) => total + weight, 0);
        for (const [index, weight] of weights.entries()) assert.ok(Math.abs((seen[index] ?? 0) / 2_000 - weight / sum) < 0.08);
      }),
      { numRuns: 20 },
    );
  });
});
