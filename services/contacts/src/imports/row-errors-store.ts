import { suppressionHash } from '@mp/contracts/contact';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

type RowErrorDocument = {
  _id: string;
  account_id: string;
  import_id: string;
  row: number;
  code: string;
  message: string;
  path: string | null;
  at: Date;
};

/** A row that failed as it was sent: kept for shorter, and found by the addresses in it when one of them is erased. */
type FailedRowDocument = {
  _id: string;
  account_id: string;
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
/** More say no more about what is wrong with the file; they are counted. */
export const rowErrorsMax = 100_000;
const hashesMax = 20;

/** The only place that knows the `import_row_errors` and `import_failed_rows` collections. */
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

    /** `before` is how many there are already. */
    async add(tx: Transaction, accountId: string, importId: string, found: readonly RowError[], before: number, at = new Date()) {
      const kept = found.slice(0, Math.max(0, rowErrorsMax - before));
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

    /** In the order of the file; without cells those of which no more than the fault is kept. */
    async *read(accountId: string, importId: string): AsyncGenerator<RowError> {
      const own = { account_id: accountId, import_id: importId };
      const sent = failed.find(own).sort({ row: 1 });
      try {
        let next = await sent.next();
        for await (const { row, code, message, path } of errors.find(own).sort({ row: 1 }).limit(rowErrorsMax)) {
          while (next && next.row < row) next = await sent.next();
          yield { row, code, message, path, cells: next?.row === row ? cellsOf(next) : [] };
        }
      } finally {
        await sent.close();
      }
    },

    /** Forgets the rows that have one of these addresses; what was wrong with them stays. Returns how many. */
    async erase(accountId: string, hashes: readonly string[]): Promise<number> {
      const { deletedCount } = await failed.deleteMany({ account_id: accountId, hashes: { $in: [...hashes] } });
      return deletedCount;
    },
  };
}

const cellsOf = ({ cells }: FailedRowDocument): string[] => {
  const read: unknown = JSON.parse(cells);
  return Array.isArray(read) ? read.map(String) : [];
};

/** No e-mail address is as long. */
const wordMax = 1_000;

/** Whatever may be an e-mail address in them: a word with something on both sides of an `@`. */
export const addressesIn = (cells: readonly string[]): string[] => {
  const words = cells.flatMap((cell) => cell.split(/[\s"'<>,;:()[\]]+/));
  const found = words.filter((word) => word.length <= wordMax && word.lastIndexOf('@') > 0 && word.indexOf('@') < word.length - 1);
  return [...new Set(found)].slice(0, hashesMax);
};

const hashesOf = (accountId: string, cells: readonly string[]) =>
  addressesIn(cells).map((address) => suppressionHash(accountId, 'email', address));
