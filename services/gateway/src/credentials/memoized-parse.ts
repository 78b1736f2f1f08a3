import { LRUCache } from 'lru-cache';
import { BSON, type Document } from 'mongodb';

/**
 * Parses documents of a `find` with `raw: true`, of which thousands are read again every few seconds and hardly any has
 * changed: what is byte for byte as it was is the very object it was, so that it costs a look-up and makes no garbage. What
 * is made of a document is therefore shared, and must not be changed. `textMax` bounds the bytes of the
 * documents that are kept, older versions of what changes often among them.
 */
export function parseOnce<Stored extends Document, Made extends object>(make: (document: Stored) => Made, textMax = 16 * 2 ** 20) {
  const made = new LRUCache<string, Made>({ maxSize: textMax, sizeCalculation: (_, text) => text.length });
  return (bytes: Uint8Array): Made => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    const known = made.get(text);
    if (known) return known;
    const fresh = make(BSON.deserialize(bytes) as Stored);
    made.set(text, fresh);
    return fresh;
  };
}
