import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { utmParameters, withParameters } from './utm.ts';

const utm = utmParameters({ source: 'news', medium: null, campaign: null, term: 'a b', content: null }, 'Spring & sun');

test('UTM parameters have defaults, and a link keeps those it has', () => {
  const added = 'utm_source=news&utm_medium=email&utm_campaign=Spring+%26+sun&utm_term=a+b';
  assert.equal(withParameters('https://example.com/', utm), `https://example.com/?${added}`);
  assert.equal(withParameters('https://example.com/?a=%20#top', utm), `https://example.com/?a=%20&${added}#top`);
  const own = withParameters('https://example.com/?utm_source=own&utm_campaign=', utm);
  assert.equal(own, 'https://example.com/?utm_source=own&utm_campaign=&utm_medium=email&utm_term=a+b');
});

test('adding parameters changes nothing else of a URL, and adding them again changes nothing', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
      const { href } = new URL(url);
      const tagged = withParameters(href, utm);
      const [before, after] = [new URL(href), new URL(tagged)];
      assert.deepEqual([after.origin, after.pathname, after.hash], [before.origin, before.pathname, before.hash]);
      for (const [name, value] of before.searchParams) assert.ok(after.searchParams.getAll(name).includes(value));
      for (const [name] of utm) assert.equal(after.searchParams.getAll(name).length >= 1, true);
      assert.equal(withParameters(tagged, utm), tagged);
    }),
    { examples: [['http://a.aa??']] },
  );
});
