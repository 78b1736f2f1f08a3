import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, constants, createBrotliDecompress } from 'node:zlib';
import { BSON, type Document } from 'mongodb';

/** Writes BSON documents one after another, compressed. Each document begins with its own length. */
export async function writeArchive(file: string, documents: readonly Uint8Array[]) {
  const whole = Buffer.concat(documents);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: whole.length,
  };
  await writeFile(file, brotliCompressSync(whole, { params }));
}

/** The documents of an archive. Numbers keep the types that they were stored with. */
export async function readArchive(file: string): Promise<Document[]> {
  const whole = await buffer(createReadStream(file).pipe(createBrotliDecompress()));
  const documents: Document[] = [];
  for (let at = 0; at < whole.length; ) {
    const length = whole.readInt32LE(at);
    documents.push(BSON.deserialize(whole.subarray(at, at + length), { promoteValues: false, promoteBuffers: false, promoteLongs: false }));
    at += length;
  }
  return documents;
}
