import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from './client-address.ts';

test('IPv6 addresses of one /64 are one client, in any notation', () => {
  for (const address of ['2001:db8:0:1::1', '2001:DB8:0:1:aaaa:bbbb:cccc:dddd', '2001:0db8:0000:0001::'])
    assert.equal(networkOf(address), networkOf('2001:db8:0:1::'), address);
  assert.notEqual(networkOf('2001:db8:0:2::1'), networkOf('2001:db8:0:1::1'));
});

test('a wider prefix makes one client of more networks', () => {
  assert.equal(networkOf('2001:db8:0:2::1', 48), networkOf('2001:db8:0:1::1', 48));
  assert.notEqual(networkOf('2001:db8:1:1::1', 48), networkOf('2001:db8:0:1::1', 48));
  assert.equal(networkOf('192.0.2.1', 48), '192.0.2.1');
});

test('an IPv4 address is a client by itself, even as a dual-stack socket reports it', () => {
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1');
  assert.notEqual(networkOf('::ffff:192.0.2.2'), networkOf('192.0.2.1'));
});

test('a text that is not an address stays as it is', () => {
  assert.equal(networkOf('unix'), 'unix');
});
