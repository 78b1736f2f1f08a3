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

export type RowError = { row: number; code: string; message: string; path: string | null };
export type RowErrorsStore = ReturnType<typeof createRowErrorsStore>;

const keepSeconds = 30 * 24 * 60 * 60;
/** More say no more about what is wrong with the file; they are counted. */
export const rowErrorsMax = 100_000;

/** The only place that knows the `import_row_errors` collection. */
export function createRowErrorsStore(db: Db) {
  const errors = db.collection<RowErrorDocument>('import_row_errors');

  return {
    prepare: () =>
      prepareCollection(
        errors,
        [
          { name: 'import', key: { account_id: 1, import_id: 1, row: 1 } },
          { name: 'expiry', key: { at: 1 }, expireAfterSeconds: keepSeconds },
        ],
        db,
      ),

    /** `before` is how many there are already. */
    async add(tx: Transaction, accountId: string, importId: string, found: readonly RowError[], before: number) {
      const kept = found.slice(0, Math.max(0, rowErrorsMax - before));
      if (kept.length === 0) return;
      await errors.insertMany(
        kept.map((error) => ({ _id: `${importId} ${error.row}`, account_id: accountId, import_id: importId, ...error, at: new Date() })),
        { session: tx.session },
      );
    },

    /** In the order of the file. */
    async *read(accountId: string, importId: string): AsyncGenerator<RowError> {
      const rows = errors.find({ account_id: accountId, import_id: importId }).sort({ row: 1 }).limit(rowErrorsMax);
      for await (const { row, code, message, path } of rows) yield { row, code, message, path };
    },
  };
}
