import { suppressionHash } from '@mp/contracts/contact';
import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

type RowErrorDocument = {
  _id: string;
  account_id: AccountId;
  import_id: string;
  row: number;
  code: string;
  message: string;
  path: string | null;
  at: Date;
};

/** A failed row as it was sent. Kept for a shorter time than its error, and found by its addresses when one is erased. */
type FailedRowDocument = {
  _id: string;
  account_id: AccountId;
  import_id: string;
  row: number;
  /** As JSON, because most of a wide row is empty. */
  cells: string;
  hashes: string[];
  at: Date;
};

export type RowError = { row: number; code: string; message: string; path: string | null; cells: readonly string[] };
export type RowErrorsStore = ReturnType<typeof createRowErrorsStore>;

const day = 24 * 60 * 60;
const keepSeconds = 30 * day;
const keepRowsSeconds = 7 * day;
/** Further errors are only counted; they would say nothing new about the file. */
export const maxRowErrors = 100_000;
const maxHashes = 20;

/** Owns the `import_row_errors` and `import_failed_rows` collections. */
export function createRowErrorsStore(db: Db) {
  const errors = db.collection<RowErrorDocument>('import_row_errors');
  const failed = db.collection<FailedRowDocument>('import_failed_rows');

  return {
    async prepare() {
      const inOrder = { name: 'import', key: { account_id: 1, import_id: 1, row: 1 } };
      await prepareCollection(errors, [inOrder, { name: 'expiry', key: { at: 1 }, expireAfterSeconds: keepSeconds }], db);
      await prepareCollection(
        failed,
        [
          inOrder,
          { name: 'addresses', key: { account_id: 1, hashes: 1 } },
          { name: 'expiry', key: { at: 1 }, expireAfterSeconds: keepRowsSeconds },
        ],
        db,
      );
    },

    /** `before` is the number of errors the import already has. */
    async add(
      tx: Transaction,
      accountId: AccountId,
      { importId, found, before, at = new Date() }: { importId: string; found: readonly RowError[]; before: number; at?: Date },
    ) {
      const kept = found.slice(0, Math.max(0, maxRowErrors - before));
      if (kept.length === 0) return;
      const ownerOf = (row: number) => ({ _id: `${importId} ${row}`, account_id: accountId, import_id: importId, row, at });
      await errors.insertMany(
        kept.map(({ cells, ...error }) => ({ ...ownerOf(error.row), ...error })),
        { session: tx.session },
      );
      await failed.insertMany(
        kept.map(({ row, cells }) => ({ ...ownerOf(row), cells: JSON.stringify(cells), hashes: hashesOf(accountId, cells) })),
        { session: tx.session },
      );
    },

    /** In file order. `cells` is empty if the row itself is no longer kept. */
    async *read(accountId: AccountId, importId: string): AsyncGenerator<RowError> {
      const own = { account_id: accountId, import_id: importId };
      const sent = failed.find(own).sort({ row: 1 });
      try {
        let next = await sent.next();
        for await (const { row, code, message, path } of errors.find(own).sort({ row: 1 }).limit(maxRowErrors)) {
          while (next && next.row < row) next = await sent.next();
          yield { row, code, message, path, cells: next?.row === row ? cellsOf(next) : [] };
        }
      } finally {
        await sent.close();
      }
    },

    /** Removes the rows that contain one of these addresses; their errors stay. Returns how many were removed. */
    async erase(accountId: AccountId, hashes: readonly string[]): Promise<number> {
      const { deletedCount } = await failed.deleteMany({ account_id: accountId, hashes: { $in: [...hashes] } });
      return deletedCount;
    },
  };
}

const cellsOf = ({ cells }: FailedRowDocument): string[] => {
  const read: unknown = JSON.parse(cells);
  return Array.isArray(read) ? read.map(String) : [];
};

/** Longer than any email address. */
const maxWordLength = 1_000;

/** Everything in the cells that may be an email address: a word with text on both sides of an `@`. */
export const addressesIn = (cells: readonly string[]): string[] => {
  const words = cells.flatMap((cell) => cell.split(/[\s"'<>,;:()[\]]+/));
  const found = words.filter((word) => word.length <= maxWordLength && word.lastIndexOf('@') > 0 && word.indexOf('@') < word.length - 1);
  return [...new Set(found)].slice(0, maxHashes);
};

const hashesOf = (accountId: AccountId, cells: readonly string[]) =>
  addressesIn(cells).map((address) => suppressionHash(accountId, 'email', address));
