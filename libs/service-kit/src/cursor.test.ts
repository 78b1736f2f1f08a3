import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseKeyring } from '@mp/contracts/keyring';
import fc from 'fast-check';
import { createCursors } from './cursor.ts';

const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64url');
const cursors = createCursors(parseKeyring(`a:${secret(1)}`));
const position = fc.record({ value: fc.oneof(fc.string(), fc.integer(), fc.constant(null)), id: fc.string() }, { noNullPrototype: true });

test('decodes a cursor to the position it was encoded from', () => {
  fc.assert(
    fc.property(position, fc.jsonValue(), (place, query) => {
      const cursor = cursors.encode(query, place);
      assert.match(cursor, /^[\w.-]+$/);
      assert.deepEqual(cursors.decode(query, cursor), place);
    }),
  );
});

test('rejects a modified cursor and a cursor of another query', () => {
  fc.assert(
    fc.property(position, fc.nat(), fc.integer({ min: 1, max: 25 }), (place, at, by) => {
      const cursor = cursors.encode('q', place);
      const index = at % cursor.length;
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
      const replaced = alphabet[(alphabet.indexOf(cursor.charAt(index)) + by + 26) % 26] ?? '';
      const changed = cursor.slice(0, index) + (replaced === cursor.charAt(index) ? '!' : replaced) + cursor.slice(index + 1);
      // The last character of base64url may differ in unused bits.
      if (index !== cursor.length - 1) assert.throws(() => cursors.decode('q', changed), { code: 'VALIDATION_ERROR' });
      assert.throws(() => cursors.decode('other', cursor), { code: 'VALIDATION_ERROR' });
    }),
  );
});

test('cursors stay valid during a key rotation while the old key is listed', () => {
  const place = { value: 1, id: 'contact_1' };
  const cursor = cursors.encode('q', place);
  assert.deepEqual(createCursors(parseKeyring(`b:${secret(2)},a:${secret(1)}`)).decode('q', cursor), place);
  assert.throws(() => createCursors(parseKeyring(`b:${secret(2)}`)).decode('q', cursor), { code: 'VALIDATION_ERROR' });
});
