import assert from 'node:assert/strict';
import { test } from 'node:test';
import { natsAddress } from './nats-address.ts';

test('a NATS URL names servers, and may name a user and ask for TLS', () => {
  assert.deepEqual(natsAddress('nats://127.0.0.1:4222'), { servers: ['127.0.0.1:4222'] });
  assert.deepEqual(natsAddress('nats://contacts:p%40ss@nats:4222'), { servers: ['nats:4222'], user: 'contacts', pass: 'p@ss' });
  assert.deepEqual(natsAddress('tls://a:b@one:4222, tls://two:4222'), { servers: ['one:4222', 'two:4222'], user: 'a', pass: 'b', tls: {} });
});
