import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '@mp/service-kit/logger';
import { eventually } from '@mp/test-kit/eventually';
import { startSmtpSink } from '../../test/smtp-sink.ts';
import { createSmtp } from './smtp-connections.ts';

const soon = async () => Date.now() + 60_000;

test('a mail server that hangs times out; emails it already received are uncertain', async (t) => {
  const sink = await startSmtpSink(t);
  const smtp = createSmtp({ url: async () => sink.url, connections: 1, deliveryMs: 300, logger: createLogger('test', 'silent') });
  t.after(() => smtp.stop());
  const deliver = async (to: string) =>
    (await smtp.deliver({ from: 'news@example.com', to }, Buffer.from('Subject: Hi\r\n\r\nHi'), soon))?.kind;

  sink.behave(() => ({ stall: 'rcpt' }));
  await eventually(async () => {
    assert.equal(await deliver('early@example.com'), 'unreachable', 'nothing of the email was sent');
    return sink.attempts.has('early@example.com');
  });
  sink.behave(() => ({ stall: 'data' }));
  // A busy machine may not get this far within one delivery timeout.
  await eventually(async () => (await deliver('late@example.com')) === 'uncertain');
  sink.behave(() => 'take');
  await eventually(async () => (await deliver('fine@example.com')) === 'accepted');
});

test('calls begin once a connection is ready, once per email, and does not send if begin withdraws it', async (t) => {
  const sink = await startSmtpSink(t);
  const smtp = createSmtp({ url: async () => sink.url, connections: 1, deliveryMs: 60_000, logger: createLogger('test', 'silent') });
  t.after(() => smtp.stop());
  const raw = Buffer.from('Subject: Hi\r\n\r\nHi');
  const held = Promise.withResolvers<void>();
  const begun: string[] = [];
  const deliver = (to: string, until: number | undefined = Date.now() + 60_000) =>
    smtp.deliver({ from: 'news@example.com', to }, raw, async () => {
      begun.push(to);
      return until;
    });
  sink.behave(() => ({ until: held.promise }));
  const first = deliver('a@example.com');
  await eventually(async () => sink.attempts.has('a@example.com'));
  const others = [
    deliver('b@example.com'),
    deliver('late@example.com', 0),
    smtp.deliver({ from: 'a@b.co', to: 'not@example.com' }, raw, async () => undefined),
  ];
  assert.deepEqual(begun, ['a@example.com'], 'the others have no connection yet');
  held.resolve();
  assert.deepEqual(
    (await Promise.all([first, ...others])).map((delivery) => delivery?.kind),
    ['accepted', 'accepted', 'unreachable', undefined],
  );
  assert.deepEqual(
    [begun, sink.received.map(({ to }) => to)],
    [
      ['a@example.com', 'b@example.com', 'late@example.com'],
      ['a@example.com', 'b@example.com'],
    ],
  );
  const failing = smtp.deliver({ from: 'a@b.co', to: 'c@example.com' }, raw, async () => {
    throw new Error('no database');
  });
  await assert.rejects(failing, /no database/);
  assert.equal((await deliver('d@example.com'))?.kind, 'accepted', 'the connection is free again');
});

test('rejects an email that exceeds the size limit of the mail server, and sends the others', async (t) => {
  const sink = await startSmtpSink(t, { maxBytes: 1_000 });
  const smtp = createSmtp({ url: async () => sink.url, connections: 1, deliveryMs: 60_000, logger: createLogger('test', 'silent') });
  t.after(() => smtp.stop());
  const deliver = (to: string, size: number) =>
    smtp.deliver({ from: 'news@example.com', to }, Buffer.from(`Subject: Hi\r\n\r\n${'x'.repeat(size)}`), soon);
  assert.equal((await deliver('large@example.com', 2_000))?.kind, 'refused');
  assert.equal((await deliver('small@example.com', 10))?.kind, 'accepted');
});
