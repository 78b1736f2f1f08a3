import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { Binary, type Db } from 'mongodb';

type FileChunkDocument = { _id: string; account_id: string; file_id: string; start: number; bytes: Binary; created_at: Date };

export type FileChunksStore = ReturnType<typeof createFileChunksStore>;

/** Well under MongoDB's 16 MiB, and enough for a transaction to hold one. */
export const chunkBytes = 1024 * 1024;

/** Nobody works with a file any longer than this. */
const keepSeconds = 3 * 24 * 60 * 60;

/**
 * Files in pieces: what was uploaded for an import, what an export wrote. In the database rather than on a disk, so that
 * whichever replica is alive goes on with them. The only place that knows the `file_chunks` collection.
 */
export function createFileChunksStore(db: Db) {
  const chunks = db.collection<FileChunkDocument>('file_chunks');

  return {
    prepare: () =>
      prepareCollection(
        chunks,
        [
          { name: 'file', key: { account_id: 1, file_id: 1, start: 1 } },
          { name: 'expiry', key: { created_at: 1 }, expireAfterSeconds: keepSeconds },
        ],
        db,
      ),

    /** Puts the piece that begins at this byte; the same piece again replaces it. */
    async put(accountId: string, fileId: string, start: number, bytes: Buffer, tx?: Transaction) {
      await chunks.updateOne(
        { _id: `${fileId} ${start}` },
        { $set: { account_id: accountId, file_id: fileId, start, bytes: new Binary(bytes), created_at: new Date() } },
        { upsert: true, ...(tx && { session: tx.session }) },
      );
    },

    /** The bytes from this one on, a piece at a time; stops reading when the reader does. */
    async *read(accountId: string, fileId: string, from = 0): AsyncGenerator<Buffer> {
      const file = { account_id: accountId, file_id: fileId };
      const first = await chunks.findOne({ ...file, start: { $lte: from } }, { sort: { start: -1 }, projection: { start: 1 } });
      if (!first) return;
      for (let next = first.start; ; ) {
        const row = await chunks.findOne({ ...file, start: next });
        if (!row) return;
        const bytes = Buffer.from(row.bytes.buffer);
        yield from > row.start ? bytes.subarray(from - row.start) : bytes;
        next += bytes.length;
      }
    },

    /** Which of the account's files, among those whose ids begin like this, hold any of these texts. */
    async holding(accountId: string, idPrefix: string, texts: readonly string[]): Promise<string[]> {
      const found = new Set<string>();
      const wanted = { account_id: accountId, file_id: { $gt: idPrefix, $lt: `${idPrefix}\u{10ffff}` } };
      for await (const { file_id, bytes } of chunks.find(wanted).batchSize(4)) {
        if (found.has(file_id)) continue;
        const text = Buffer.from(bytes.buffer);
        if (texts.some((one) => text.includes(one))) found.add(file_id);
      }
      return [...found];
    },

    async remove(accountId: string, fileId: string) {
      await chunks.deleteMany({ account_id: accountId, file_id: fileId });
    },
  };
}
