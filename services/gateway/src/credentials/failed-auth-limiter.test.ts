import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailedAuthLimiter } from './failed-auth-limiter.ts';

test('an address may send a hundred wrong credentials a minute', () => {
  let now = 0;
  const wrong = createFailedAuthLimiter(() => now);
  for (let index = 0; index < 99; index += 1) wrong.count('192.0.2.1');
  assert.equal(wrong.waitOf('192.0.2.1'), 0);
  wrong.count('192.0.2.1');
  assert.equal(wrong.waitOf('192.0.2.1'), 60);
  assert.equal(wrong.waitOf('192.0.2.2'), 0);
  now = 59_500;
  assert.equal(wrong.waitOf('192.0.2.1'), 1);
  now = 60_000;
  assert.equal(wrong.waitOf('192.0.2.1'), 0);
});

test('IPv6 addresses of one /64 count together, in any notation', () => {
  const wrong = createFailedAuthLimiter(() => 0);
  for (let index = 0; index < 100; index += 1) wrong.count(`2001:db8:0:1::${index.toString(16)}`);
  assert.equal(wrong.waitOf('2001:db8:0:1:aaaa:bbbb:cccc:dddd'), 60);
  assert.equal(wrong.waitOf('2001:db8:0:2::1'), 0);
});

test('IPv4 addresses that a dual-stack socket reports as IPv6 count each by itself', () => {
  const wrong = createFailedAuthLimiter(() => 0);
  for (let index = 0; index < 100; index += 1) wrong.count('::ffff:192.0.2.1');
  assert.equal(wrong.waitOf('192.0.2.1'), 60);
  assert.equal(wrong.waitOf('::ffff:192.0.2.2'), 0);
});
