import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { parseOnce } from './parse-once.ts';

type Stored = { _id: string; scopes: string[]; count: number };

test('a document is parsed again when a byte of it has changed, and only then', () => {
  const arbitrary = fc.record(
    { _id: fc.string({ unit: 'binary' }), scopes: fc.array(fc.string()), count: fc.nat() },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(arbitrary, { minLength: 1, maxLength: 20 }), (documents) => {
      const parse = parseOnce((stored: Stored) => ({ stored }), 100);
      const first = documents.map((document) => parse(BSON.serialize(document)));
      for (const [index, document] of documents.entries()) {
        assert.deepEqual(first[index]?.stored, document);
        assert.equal(parse(BSON.serialize(document)), first[index], 'the very object');
        const changed = { ...document, count: document.count + 1 };
        assert.deepEqual(parse(BSON.serialize(changed)).stored, changed);
      }
    }),
  );
});

test('what is read as a piece of a larger answer is that piece', () => {
  const [one, two] = [BSON.serialize({ _id: 'one' }), BSON.serialize({ _id: 'two' })];
  const answer = Buffer.concat([one, two]);
  const parse = parseOnce(({ _id }: { _id: string }) => ({ _id }), 10);
  assert.deepEqual(parse(answer.subarray(one.length)), { _id: 'two' });
  assert.equal(parse(two), parse(answer.subarray(one.length)));
});

test('it keeps no more than it is allowed to', () => {
  let parsed = 0;
  const parse = parseOnce(({ _id }: { _id: number }) => {
    parsed += 1;
    return { _id };
  }, 2);
  for (const _id of [1, 2, 3]) parse(BSON.serialize({ _id }));
  parse(BSON.serialize({ _id: 3 }));
  assert.equal(parsed, 3);
  parse(BSON.serialize({ _id: 1 }));
  assert.equal(parsed, 4);
});
