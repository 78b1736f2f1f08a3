import type { AccountId, ContactId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { Binary, type Db } from 'mongodb';

type FileChunkDocument = {
  _id: string;
  account_id: AccountId;
  file_id: string;
  start: number;
  bytes: Binary;
  created_at: Date;
  /** Only for exports, which are in id order: the first and last contact of the chunk. */
  first_contact?: string;
  last_contact?: string;
};

export type FileChunksStore = ReturnType<typeof createFileChunksStore>;

/** Well below MongoDB's 16 MiB limit, so that a transaction can hold one. */
export const chunkBytes = 1024 * 1024;

/** Longer than any import or export takes; finished jobs remove their file right away. */
const keepSeconds = 3 * 24 * 60 * 60;

/** A chunk of a file is missing. */
export class ChunkMissing extends Error {
  override name = 'ChunkMissing';
}

/**
 * Owns the `file_chunks` collection: the files of imports and exports, in chunks. They are in the database rather than on a
 * disk so that any replica can continue with them.
 */
export function createFileChunksStore(db: Db) {
  const chunks = db.collection<FileChunkDocument>('file_chunks');

  return {
    prepare: () =>
      prepareCollection(
        chunks,
        [
          { name: 'file', key: { account_id: 1, file_id: 1, start: 1 } },
          // Finds the chunks that may contain a contact.
          {
            name: 'contacts',
            key: { account_id: 1, last_contact: 1, first_contact: 1 },
            partialFilterExpression: { last_contact: { $gt: '' } },
          },
          { name: 'expiry', key: { created_at: 1 }, expireAfterSeconds: keepSeconds },
        ],
        db,
      ),

    /** Stores the chunk that starts at this byte, replacing an earlier one. */
    async put(accountId: AccountId, fileId: string, start: number, bytes: Buffer) {
      await chunks.updateOne(
        { _id: `${fileId} ${start}` },
        { $set: { account_id: accountId, file_id: fileId, start, bytes: new Binary(bytes), created_at: new Date() } },
        { upsert: true },
      );
    },

    /** Stores a chunk of an export with the contacts it contains, in id order; none if it is only a header. */
    async putRows(
      tx: Transaction,
      accountId: AccountId,
      { fileId, start, bytes, contacts }: { fileId: string; start: number; bytes: Buffer; contacts: readonly { id: string }[] },
    ) {
      const [first, last] = [contacts.at(0), contacts.at(-1)];
      const range = first && last ? { first_contact: first.id, last_contact: last.id } : {};
      await chunks.replaceOne(
        { _id: `${fileId} ${start}` },
        { account_id: accountId, file_id: fileId, start, bytes: new Binary(bytes), created_at: new Date(), ...range },
        { upsert: true, session: tx.session },
      );
    },

    /**
     * Reads a file of `fileBytes` bytes from byte `from`, a chunk at a time, for as long as the caller iterates. Throws
     * ChunkMissing if a chunk is missing, so that a truncated file is never taken for a complete one.
     */
    async *read(accountId: AccountId, fileId: string, fileBytes: number, from = 0): AsyncGenerator<Buffer> {
      const file = { account_id: accountId, file_id: fileId };
      const first = await chunks.findOne({ ...file, start: { $lte: from } }, { sort: { start: -1 }, projection: { start: 1 } });
      for (let next = first?.start ?? from; next < fileBytes; ) {
        const row = await chunks.findOne({ ...file, start: next });
        if (!row) throw new ChunkMissing(`${fileId} has no chunk at byte ${next} of ${fileBytes}`);
        const bytes = Buffer.from(row.bytes.buffer);
        yield from > row.start ? bytes.subarray(from - row.start) : bytes;
        next += bytes.length;
      }
    },

    /** The account's exports that contain any of these contacts. Reads at most one chunk per export and contact. */
    async withContacts(accountId: AccountId, contactIds: readonly ContactId[]): Promise<string[]> {
      const found = new Set<string>();
      for (const id of contactIds) {
        const around = { account_id: accountId, last_contact: { $gte: id }, first_contact: { $lte: id } };
        const known = { file_id: { $nin: [...found] } };
        for await (const { file_id, bytes } of chunks
          .find({ ...around, ...known })
          .hint('contacts')
          .batchSize(4))
          if (Buffer.from(bytes.buffer).includes(id)) found.add(file_id);
      }
      return [...found];
    },

    async remove(accountId: AccountId, fileId: string) {
      await chunks.deleteMany({ account_id: accountId, file_id: fileId });
    },
  };
}
