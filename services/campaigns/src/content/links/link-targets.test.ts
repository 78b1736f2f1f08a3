import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { numberLinks, sentLinkCount, sentTarget } from './link-targets.ts';

test('a link number keeps its target when the email is sent again and the contact has changed', () => {
  const link = fc.constantFrom({ target: null }, { target: 'https://a.b/same' });
  const round = fc.array(fc.record({ link: fc.nat(3), word: fc.constantFrom('x', 'y', 'z') }), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(link, { minLength: 1, maxLength: 4 }), fc.array(round, { maxLength: 4 }), (links, rounds) => {
      const led = new Map<number, string>();
      let kept = {};
      for (const mail of rounds) {
        const numbers = numberLinks(links, kept);
        for (const { link: clicked, word } of mail) {
          const number = clicked % links.length;
          const address = links[number]?.target ?? `https://a.b/${word}`;
          const given = numbers.of(number, address);
          assert.ok(given !== undefined);
          assert.equal(led.get(given) ?? address, address);
          led.set(given, address);
        }
        kept = numbers.targets;
        for (const [given, address] of led) assert.equal(sentTarget(links, kept, given), address);
      }
      assert.ok(sentLinkCount(links, kept) >= new Set(led.values()).size);
    }),
  );
});

test('stored targets per email are bounded; further links are not tracked', () => {
  const links = Array.from({ length: 100 }, () => ({ target: null }));
  const numbers = numberLinks(links, {});
  const given = links.map((_, number) => numbers.of(number, `https://a.b/${number}/${'x'.repeat(1_000)}`));
  assert.ok(given.includes(undefined));
  assert.ok(JSON.stringify(numbers.targets).length < 20_000);
  assert.equal(numberLinks([{ target: null }], {}).of(0, 'https://'), undefined);
});
