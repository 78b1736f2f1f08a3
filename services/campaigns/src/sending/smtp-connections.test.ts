import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '@mp/service-kit/logger';
import { eventually } from '@mp/test-kit/eventually';
import { startSmtpSink } from '../../test/smtp-sink.ts';
import { createSmtp } from './smtp-connections.ts';

test('a mail server that stands still is not waited for, and what it has may have arrived', async (t) => {
  const sink = await startSmtpSink(t);
  const smtp = createSmtp({ url: async () => sink.url, connections: 1, deliveryMs: 300, logger: createLogger('test', 'silent') });
  t.after(() => smtp.stop());
  const deliver = async (to: string) => (await smtp.deliver({ from: 'news@example.com', to }, Buffer.from('Subject: Hi\r\n\r\nHi'))).kind;

  sink.behave(() => ({ stall: 'rcpt' }));
  await eventually(async () => {
    assert.equal(await deliver('early@example.com'), 'unreachable', 'nothing of the message had left');
    return sink.attempts.has('early@example.com');
  });
  sink.behave(() => ({ stall: 'data' }));
  // A busy machine may not come so far within the time of one delivery.
  await eventually(async () => (await deliver('late@example.com')) === 'uncertain');
  sink.behave(() => 'take');
  await eventually(async () => (await deliver('fine@example.com')) === 'accepted');
});
