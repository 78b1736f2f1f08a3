import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isSecretText, newSecretText } from './token-format.ts';

const random = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('every key is mp_live_ and 49 letters and digits, and is recognised', () => {
  fc.assert(
    fc.property(random, (bytes) => {
      const key = newSecretText('key', bytes);
      assert.match(key, /^mp_live_[0-9A-Za-z]{49}$/);
      assert.equal(isSecretText('key', key), true);
    }),
  );
});

test('different randomness gives different keys: nothing of the 256 bits is lost', () => {
  fc.assert(
    fc.property(random, fc.nat(31), fc.integer({ min: 1, max: 255 }), (bytes, index, change) => {
      const other = Uint8Array.from(bytes, (byte, at) => (at === index ? byte ^ change : byte));
      assert.notEqual(newSecretText('key', bytes), newSecretText('key', other));
    }),
  );
});

test('a key with one character changed is recognised as junk', () => {
  const digit = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
  fc.assert(
    fc.property(random, fc.integer({ min: 8, max: 56 }), digit, (bytes, index, character) => {
      const key = newSecretText('key', bytes);
      fc.pre(key[index] !== character);
      assert.equal(isSecretText('key', key.slice(0, index) + character + key.slice(index + 1)), false);
    }),
  );
});

test('anything else is junk', () => {
  fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => !isSecretText('key', text) && !isSecretText('key', `mp_live_${text}`)));
  assert.equal(isSecretText('key', `${newSecretText('key')} `), false);
  assert.equal(isSecretText('key', newSecretText('key').replace('mp_live_', 'mp_test_')), false);
});

test('one kind is not taken for another', () => {
  assert.equal(isSecretText('token', newSecretText('token')), true);
  assert.equal(isSecretText('key', newSecretText('token')), false);
  assert.equal(isSecretText('token', newSecretText('clientSecret')), false);
});
