import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { createClientAddress } from './client-address.ts';

function request(peer: string, forwarded?: string) {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const req = new IncomingMessage(socket);
  if (forwarded !== undefined) req.headers['x-forwarded-for'] = forwarded;
  return req;
}

test('X-Forwarded-For counts only from a trusted proxy, from the right', () => {
  const addressOf = createClientAddress(['10.0.0.0/8']);
  assert.equal(addressOf(request('203.0.113.9', '192.0.2.1')), '203.0.113.9');
  assert.equal(addressOf(request('10.0.0.1', '192.0.2.1')), '192.0.2.1');
  assert.equal(
    addressOf(request('10.0.0.1', '198.51.100.66, 192.0.2.1, 10.0.0.2')),
    '192.0.2.1',
    'what the client itself wrote is to the left',
  );
  assert.equal(addressOf(request('10.0.0.1', 'nonsense')), '10.0.0.1');
  assert.equal(addressOf(request('10.0.0.1')), '10.0.0.1');
  assert.equal(addressOf(request('::ffff:10.0.0.1', '2001:db8::1')), '2001:db8::1');
});

test('without trusted proxies the peer is the client', () => {
  assert.equal(createClientAddress([])(request('::ffff:127.0.0.1', '192.0.2.1')), '127.0.0.1');
});
