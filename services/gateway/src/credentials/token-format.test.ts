import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isWellFormedSecret, newSecret } from './token-format.ts';

const random = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('every key is mp_live_ plus 49 letters and digits, and is recognized', () => {
  fc.assert(
    fc.property(random, (bytes) => {
      const key = newSecret('key', bytes);
      assert.match(key, /^mp_live_[0-9A-Za-z]{49}$/);
      assert.equal(isWellFormedSecret('key', key), true);
    }),
  );
});

test('all 256 random bits are part of the key', () => {
  fc.assert(
    fc.property(random, fc.nat(31), fc.integer({ min: 1, max: 255 }), (bytes, index, change) => {
      const other = Uint8Array.from(bytes, (byte, at) => (at === index ? byte ^ change : byte));
      assert.notEqual(newSecret('key', bytes), newSecret('key', other));
    }),
  );
});

test('a key with one changed character is rejected', () => {
  const digit = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
  fc.assert(
    fc.property(random, fc.integer({ min: 8, max: 56 }), digit, (bytes, index, character) => {
      const key = newSecret('key', bytes);
      fc.pre(key[index] !== character);
      assert.equal(isWellFormedSecret('key', key.slice(0, index) + character + key.slice(index + 1)), false);
    }),
  );
});

test('anything else is rejected', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (text) => !isWellFormedSecret('key', text) && !isWellFormedSecret('key', `mp_live_${text}`)),
  );
  assert.equal(isWellFormedSecret('key', `${newSecret('key')} `), false);
  assert.equal(isWellFormedSecret('key', newSecret('key').replace('mp_live_', 'mp_test_')), false);
});

test('the kinds of secrets are not confused', () => {
  assert.equal(isWellFormedSecret('token', newSecret('token')), true);
  assert.equal(isWellFormedSecret('key', newSecret('token')), false);
  assert.equal(isWellFormedSecret('token', newSecret('clientSecret')), false);
});
