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

test('X-Forwarded-For is used only from a trusted proxy, from the right', () => {
  const addressOf = createClientAddress(['10.0.0.0/8']);
  assert.equal(addressOf(request('203.0.113.9', '192.0.2.1')), '203.0.113.9');
  assert.equal(addressOf(request('10.0.0.1', '192.0.2.1')), '192.0.2.1');
  assert.equal(addressOf(request('10.0.0.1', '198.51.100.66, 192.0.2.1, 10.0.0.2')), '192.0.2.1', 'the client’s own entry is further left');
  assert.equal(addressOf(request('10.0.0.1', 'nonsense')), '10.0.0.1');
  assert.equal(addressOf(request('10.0.0.1', '10.0.0.3, 10.0.0.2')), '10.0.0.3', 'somebody inside');
  assert.equal(addressOf(request('10.0.0.1')), '10.0.0.1');
  assert.equal(addressOf(request('::ffff:10.0.0.1', '2001:db8::1')), '2001:db8::1');
});

test('a hop may have a port; nothing left of an invalid hop is trusted', () => {
  const addressOf = createClientAddress(['10.0.0.0/8', '2001:db8:1::/48']);
  for (const [forwarded, expected] of [
    ['192.0.2.1, 203.0.113.9:4711', '203.0.113.9'],
    ['192.0.2.1, [2001:db8::9]:4711', '2001:db8::9'],
    ['192.0.2.1, [2001:db8::9]', '2001:db8::9'],
    ['192.0.2.1, ::ffff:203.0.113.9', '203.0.113.9'],
    ['203.0.113.9, [2001:db8:1::1]:80, 10.0.0.2:80', '203.0.113.9'],
    ['192.0.2.1, unknown', '10.0.0.1'],
    ['192.0.2.1, unknown, 10.0.0.2', '10.0.0.2'],
    ['192.0.2.1, 203.0.113.9:port', '10.0.0.1'],
    ['192.0.2.1,', '10.0.0.1'],
  ] as const)
    assert.equal(addressOf(request('10.0.0.1', forwarded)), expected, forwarded);
});

test('logs an untrusted proxy once a minute, naming the missing setting', () => {
  const warnings: unknown[][] = [];
  let now = 0;
  const logger = { warn: (...said: unknown[]) => void warnings.push(said) };
  const addressOf = createClientAddress(['10.0.0.0/8'], logger, () => now);
  addressOf(request('172.16.0.1'));
  addressOf(request('10.0.0.1', '192.0.2.1'));
  assert.equal(warnings.length, 0);
  for (let index = 0; index < 3; index += 1) assert.equal(addressOf(request('172.16.0.1', '192.0.2.1')), '172.16.0.1');
  assert.equal(warnings.length, 1);
  assert.deepEqual(warnings[0]?.[0], { peer: '172.16.0.1', requests: 1 });
  now = 60_000;
  addressOf(request('172.16.0.2', '192.0.2.1'));
  assert.deepEqual([warnings.length, warnings[1]?.[0]], [2, { peer: '172.16.0.2', requests: 3 }]);
  assert.match(String(warnings[0]?.[1]), /TRUSTED_PROXIES/);
});

test('without trusted proxies the peer is the client', () => {
  assert.equal(createClientAddress([])(request('::ffff:127.0.0.1', '192.0.2.1')), '127.0.0.1');
});
