import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold } from './text.ts';

test('folds text by full Unicode case folding', () => {
  for (const [one, other] of [
    ['ΟΔΟΣ', 'οδος'],
    ['οδοσ', 'οδος'],
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
    ['Straße', 'STRASSE'],
    ['STRAẞE', 'strasse'],
    ['ﬁn', 'FIN'],
    ['Élan', 'E\u0301LAN'],
    ['İstanbul', 'i\u0307stanbul'],
    ['ΐ', '\u0399\u0308\u0301'],
    ['\u212Aelvin', 'kelvin'],
  ] as const)
    assert.equal(fold(one), fold(other), `${one} and ${other}`);
  for (const [one, other] of [
    ['ırmak', 'irmak'],
    ['é', 'e'],
    ['ö', 'oe'],
  ] as const)
    assert.notEqual(fold(one), fold(other), `${one} and ${other}`);
});

test('folding is idempotent and ignores upper and lower case', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const folded = fold(text);
      assert.equal(fold(folded), folded);
      if (text.includes('ı')) return;
      assert.equal(fold(text.toUpperCase()), folded);
      assert.equal(fold(text.toLowerCase()), folded);
    }),
  );
});
