import { LRUCache } from 'lru-cache';
import { BSON, type Document } from 'mongodb';

/**
 * Parses documents from a `find` with `raw: true`, memoized by their bytes. Thousands of documents are read every few seconds
 * and hardly any has changed: an unchanged one returns the same object, which costs a lookup and creates no garbage. The
 * results are shared, so do not mutate them. `maxTextBytes` limits the bytes of the memoized documents, including old versions.
 */
export function memoizedParse<Stored extends Document, Made extends object>(make: (document: Stored) => Made, maxTextBytes = 16 * 2 ** 20) {
  const made = new LRUCache<string, Made>({ maxSize: maxTextBytes, sizeCalculation: (_, text) => text.length });
  return (bytes: Uint8Array): Made => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    const known = made.get(text);
    if (known) return known;
    const fresh = make(BSON.deserialize(bytes) as Stored);
    made.set(text, fresh);
    return fresh;
  };
}
