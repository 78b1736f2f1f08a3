import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressSet } from './ip-allow.ts';

test('IPv4 and IPv6 ranges contain their addresses', () => {
  const set = addressSet(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32']);
  for (const inside of ['10.1.2.3', '192.0.2.1', '2001:db8::1', '::ffff:10.0.0.1']) assert.equal(set(inside), true, inside);
  for (const outside of ['11.0.0.1', '192.0.2.2', '2001:db9::1', '', 'nonsense']) assert.equal(set(outside), false, outside);
  assert.equal(addressSet([])('10.0.0.1'), false);
});
