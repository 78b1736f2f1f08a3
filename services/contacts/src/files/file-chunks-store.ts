import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { Binary, type Db } from 'mongodb';

type FileChunkDocument = {
  _id: string;
  account_id: string;
  file_id: string;
  start: number;
  bytes: Binary;
  created_at: Date;
  /** Of a piece of an export, which is in the order of ids: the contacts it begins and ends with. */
  first_contact?: string;
  last_contact?: string;
};

export type FileChunksStore = ReturnType<typeof createFileChunksStore>;

/** Well under MongoDB's 16 MiB, and enough for a transaction to hold one. */
export const chunkBytes = 1024 * 1024;

/** Nobody works with a file any longer than this; whoever is done with one removes it at once. */
const keepSeconds = 3 * 24 * 60 * 60;

/** Part of a file is not there any more. */
export class PieceMissing extends Error {
  override name = 'PieceMissing';
}

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
          // By this alone is found which pieces may have somebody in them.
          {
            name: 'contacts',
            key: { account_id: 1, last_contact: 1, first_contact: 1 },
            partialFilterExpression: { last_contact: { $gt: '' } },
          },
          { name: 'expiry', key: { created_at: 1 }, expireAfterSeconds: keepSeconds },
        ],
        db,
      ),

    /** Puts the piece that begins at this byte; the same piece again replaces it. */
    async put(accountId: string, fileId: string, start: number, bytes: Buffer) {
      await chunks.updateOne(
        { _id: `${fileId} ${start}` },
        { $set: { account_id: accountId, file_id: fileId, start, bytes: new Binary(bytes), created_at: new Date() } },
        { upsert: true },
      );
    },

    /** The same of an export, with the contacts that are in the piece, by id order: none when it is but a header. */
    async putRows(tx: Transaction, accountId: string, fileId: string, start: number, bytes: Buffer, contacts: readonly { id: string }[]) {
      const [first, last] = [contacts.at(0), contacts.at(-1)];
      const range = first && last ? { first_contact: first.id, last_contact: last.id } : {};
      await chunks.replaceOne(
        { _id: `${fileId} ${start}` },
        { account_id: accountId, file_id: fileId, start, bytes: new Binary(bytes), created_at: new Date(), ...range },
        { upsert: true, session: tx.session },
      );
    },

    /**
     * A file of so many bytes, from this one on, a piece at a time; stops reading when the reader does. Throws PieceMissing
     * rather than take what is left for all of it.
     */
    async *read(accountId: string, fileId: string, fileBytes: number, from = 0): AsyncGenerator<Buffer> {
      const file = { account_id: accountId, file_id: fileId };
      const first = await chunks.findOne({ ...file, start: { $lte: from } }, { sort: { start: -1 }, projection: { start: 1 } });
      for (let next = first?.start ?? from; next < fileBytes; ) {
        const row = await chunks.findOne({ ...file, start: next });
        if (!row) throw new PieceMissing(`${fileId} has no piece at ${next} of its ${fileBytes} bytes`);
        const bytes = Buffer.from(row.bytes.buffer);
        yield from > row.start ? bytes.subarray(from - row.start) : bytes;
        next += bytes.length;
      }
    },

    /** Which of the account's exports have a row of any of these contacts. Reads one piece of each at most for each of them. */
    async withContacts(accountId: string, contactIds: readonly string[]): Promise<string[]> {
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

    async remove(accountId: string, fileId: string) {
      await chunks.deleteMany({ account_id: accountId, file_id: fileId });
    },
  };
}
