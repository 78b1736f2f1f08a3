import { type AccountId, idPrefixes } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

type CancelledImportDocument = { _id: string; account_id: AccountId; at: Date };

/** What an event names as the start of its chain. */
type Caused = { accountId: AccountId; correlationId: string };

export type CancelledImportsStore = ReturnType<typeof createCancelledImportsStore>;

/** Longer than an event of the import can wait: streams and outboxes keep it for seven days, and each service on the way has its own. */
const keptSeconds = 30 * 24 * 60 * 60;

const isOfImport = ({ correlationId }: Caused) => correlationId.startsWith(`${idPrefixes.import}_`);

/** The only code that accesses the `cancelled_imports` collection: imports whose rows start no further runs. */
export function createCancelledImportsStore(db: Db) {
  const cancelled = db.collection<CancelledImportDocument>('cancelled_imports');

  return {
    prepare: () => prepareCollection(cancelled, [{ key: { at: 1 }, name: 'expiry', expireAfterSeconds: keptSeconds }], db),

    async add(tx: Transaction, accountId: AccountId, importId: string) {
      const that = { _id: importId, account_id: accountId };
      await cancelled.updateOne(that, { $set: { at: new Date() } }, { session: tx.session, upsert: true });
    },

    /** The cancelled imports that caused any of these. Reads nothing if no import did. */
    async among(tx: Transaction, caused: readonly Caused[]): Promise<ReadonlySet<string>> {
      const ofImports = caused.filter(isOfImport);
      if (ofImports.length === 0) return new Set();
      const [accountIds, ids] = [ofImports.map(({ accountId }) => accountId), ofImports.map(({ correlationId }) => correlationId)];
      const those = { _id: { $in: [...new Set(ids)] }, account_id: { $in: [...new Set(accountIds)] } };
      return new Set((await cancelled.find(those, { session: tx.session }).toArray()).map(({ _id }) => _id));
    },
  };
}
