import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { memoizedParse } from './memoized-parse.ts';

type Stored = { _id: string; scopes: string[]; count: number };

test('parses a document again only if a byte of it has changed', () => {
  const arbitrary = fc.record(
    { _id: fc.string({ unit: 'binary' }), scopes: fc.array(fc.string()), count: fc.nat() },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(arbitrary, { minLength: 1, maxLength: 20 }), (documents) => {
      const parse = memoizedParse((stored: Stored) => ({ stored }));
      const first = documents.map((document) => parse(BSON.serialize(document)));
      for (const [index, document] of documents.entries()) {
        assert.deepEqual(first[index]?.stored, document);
        assert.equal(parse(BSON.serialize(document)), first[index], 'the same object');
        const changed = { ...document, count: document.count + 1 };
        assert.deepEqual(parse(BSON.serialize(changed)).stored, changed);
      }
    }),
  );
});

test('a document that is a slice of a larger buffer is parsed as that slice', () => {
  const [one, two] = [BSON.serialize({ _id: 'one' }), BSON.serialize({ _id: 'two' })];
  const response = Buffer.concat([one, two]);
  const parse = memoizedParse(({ _id }: { _id: string }) => ({ _id }));
  assert.deepEqual(parse(response.subarray(one.length)), { _id: 'two' });
  assert.equal(parse(two), parse(response.subarray(one.length)));
});

test('memory for old versions of a frequently changing document is bounded', () => {
  let parsed = 0;
  const versions = [1, 2, 3].map((version) => BSON.serialize({ version, ip_allow: 'a'.repeat(1_000) }));
  const parse = memoizedParse(
    ({ version }: { version: number }) => {
      parsed += 1;
      return { version };
    },
    2 * (versions[0]?.length ?? 0) + 1,
  );
  for (const version of versions) parse(version);
  for (const version of versions.slice(1)) parse(version);
  assert.equal(parsed, 3);
  for (const version of versions.slice(0, 1)) parse(version);
  assert.equal(parsed, 4);
});
