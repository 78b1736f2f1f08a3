import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '@mp/service-kit/logger';
import { eventually } from '@mp/test-kit/eventually';
import { startSmtpSink } from '../../../test/smtp-sink.ts';
import { createSmtp, type Handover } from './smtp-connections.ts';

const handover = { mayStart: async () => true, beforeContent: async (): Promise<number | undefined> => Date.now() + 60_000 };

test('a mail server that hangs times out; emails it already received are uncertain', async (t) => {
  const sink = await startSmtpSink(t);
  const smtp = createSmtp({ url: async () => sink.url, connections: 1, deliveryMs: 300, logger: createLogger('test', 'silent') });
  t.after(() => smtp.stop());
  const deliver = async (to: string) =>
    (await smtp.deliver({ from: 'news@example.com', to }, Buffer.from('Subject: Hi\r\n\r\nHi'), handover))?.kind;

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

test('asks whether an email may start once a connection is free, and for its content once the recipient is accepted', async (t) => {
  const sink = await startSmtpSink(t);
  const smtp = createSmtp({ url: async () => sink.url, connections: 1, deliveryMs: 60_000, logger: createLogger('test', 'silent') });
  t.after(() => smtp.stop());
  const raw = Buffer.from('Subject: Hi\r\n\r\nHi');
  const held = Promise.withResolvers<void>();
  const requests: string[] = [];
  const deliver = (to: string, changed: Partial<Handover> = {}) =>
    smtp.deliver({ from: 'news@example.com', to }, raw, {
      mayStart() {
        requests.push(`start ${to}`);
        return (changed.mayStart ?? handover.mayStart)();
      },
      beforeContent() {
        requests.push(`content ${to}`);
        return (changed.beforeContent ?? handover.beforeContent)();
      },
    });
  sink.behave((to) => (to === 'grey@example.com' ? { rcpt: 451, text: '4.7.1 Greylisted' } : { until: held.promise }));
  const first = deliver('a@example.com');
  await eventually(async () => sink.attempts.has('a@example.com') && requests.length === 2);
  const others = [
    deliver('b@example.com'),
    deliver('grey@example.com'),
    deliver('not@example.com', { mayStart: async () => false }),
    deliver('late@example.com', { beforeContent: async () => 0 }),
    deliver('withdrawn@example.com', { beforeContent: async () => undefined }),
    deliver('last@example.com'),
  ];
  assert.deepEqual(requests, ['start a@example.com', 'content a@example.com'], 'the others have no connection yet');
  held.resolve();
  assert.deepEqual(
    (await Promise.all([first, ...others])).map((delivery) => delivery?.kind),
    ['accepted', 'accepted', 'deferred', undefined, 'unreachable', undefined, 'accepted'],
  );
  assert.deepEqual(
    [requests.slice(2), sink.received.map(({ to }) => to)],
    [
      [
        ...['start b@example.com', 'content b@example.com', 'start grey@example.com', 'start not@example.com'],
        ...['start late@example.com', 'content late@example.com', 'start withdrawn@example.com', 'content withdrawn@example.com'],
        ...['start last@example.com', 'content last@example.com'],
      ],
      ['a@example.com', 'b@example.com', 'last@example.com'],
    ],
  );
  const fails = async () => {
    throw new Error('no database');
  };
  await assert.rejects(deliver('c@example.com', { mayStart: fails }), /no database/);
  await assert.rejects(deliver('d@example.com', { beforeContent: fails }), /no database/);
  assert.equal((await deliver('e@example.com'))?.kind, 'accepted', 'the connection is free again');
});

test('a mail server that gives up while the content is prepared has received nothing, and is not at fault', async (t) => {
  const sink = await startSmtpSink(t);
  const smtp = createSmtp({ url: async () => sink.url, connections: 1, deliveryMs: 60_000, logger: createLogger('test', 'silent') });
  t.after(() => smtp.stop());
  const marked = Promise.withResolvers<number>();
  const asking = Promise.withResolvers<void>();
  const delivery = smtp.deliver({ from: 'news@example.com', to: 'a@example.com' }, Buffer.from('Hi'), {
    ...handover,
    beforeContent() {
      asking.resolve();
      return marked.promise;
    },
  });
  await asking.promise;
  await sink.close();
  const ended = await delivery;
  assert.deepEqual([ended?.kind, ended && 'phase' in ended && ended.phase], ['unreachable', 'late']);
  marked.resolve(Date.now() + 60_000);
  assert.equal(sink.received.length, 0);
});

test('the time that the content takes is not that of the mail server', async (t) => {
  const sink = await startSmtpSink(t);
  const smtp = createSmtp({ url: async () => sink.url, connections: 1, deliveryMs: 1_000, logger: createLogger('test', 'silent') });
  t.after(() => smtp.stop());
  const deliver = () =>
    smtp.deliver({ from: 'news@example.com', to: 'a@example.com' }, Buffer.from('Hi'), {
      ...handover,
      beforeContent: () => new Promise((resolve) => setTimeout(() => resolve(Date.now() + 60_000), 1_500)),
    });
  // The rest may take longer on a busy machine.
  await eventually(async () => (await deliver())?.kind === 'accepted');
});

test('rejects an email that exceeds the size limit of the mail server, and sends the others', async (t) => {
  const sink = await startSmtpSink(t, { maxBytes: 1_000 });
  const smtp = createSmtp({ url: async () => sink.url, connections: 1, deliveryMs: 60_000, logger: createLogger('test', 'silent') });
  t.after(() => smtp.stop());
  const deliver = (to: string, size: number) =>
    smtp.deliver({ from: 'news@example.com', to }, Buffer.from(`Subject: Hi\r\n\r\n${'x'.repeat(size)}`), handover);
  assert.equal((await deliver('large@example.com', 2_000))?.kind, 'refused');
  assert.equal((await deliver('small@example.com', 10))?.kind, 'accepted');
});
