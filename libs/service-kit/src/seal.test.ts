import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKeyring } from '@mp/contracts/keyring';
import { seal, unseal } from './seal.ts';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64url');
const old = parseKeyring(`k1:${key(1)}`);
const both = parseKeyring(`k2:${key(2)},k1:${key(1)}`);
const sealed = seal(old, 'test', 'a secret: ü', 'row 1');

test('a sealed text reveals nothing, opens with its binding, and differs each time', () => {
  assert.ok(!sealed.includes(Buffer.from('a secret').toString('base64url')));
  assert.equal(unseal(old, 'test', sealed, 'row 1'), 'a secret: ü');
  assert.notEqual(seal(old, 'test', 'a secret: ü', 'row 1'), sealed);
});

test('opens with a key that is being rotated, not with a removed one', () => {
  assert.equal(unseal(both, 'test', sealed, 'row 1'), 'a secret: ü');
  assert.equal(unseal(parseKeyring(`k2:${key(2)}`), 'test', sealed, 'row 1'), undefined);
  assert.equal(unseal(parseKeyring(`k1:${key(2)}`), 'test', sealed, 'row 1'), undefined);
});

test('does not open with another binding or purpose, or when modified', () => {
  assert.equal(unseal(old, 'test', sealed, 'row 2'), undefined);
  assert.equal(unseal(old, 'other', sealed, 'row 1'), undefined);
  for (let index = 3; index < sealed.length; index += 7) {
    const changed = sealed.slice(0, index) + (sealed[index] === 'A' ? 'B' : 'A') + sealed.slice(index + 1);
    assert.equal(unseal(old, 'test', changed, 'row 1'), undefined);
  }
  for (const junk of ['', 'k1', 'k1.', 'k1.AAAA']) assert.equal(unseal(old, 'test', junk, 'row 1'), undefined);
});
