import { AccountChanged } from '@mp/contracts/events/platform';
import { isDuplicateKey, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';
import type { AccountRow } from './account.ts';

type AccountDocument = Omit<AccountRow, 'id'> & { _id: string };

export type AccountsStore = ReturnType<typeof createAccountsStore>;

/** The only place that knows the `accounts` collection. */
export function createAccountsStore(db: Db, outbox: Outbox) {
  const accounts = db.collection<AccountDocument>('accounts');

  return {
    prepare: () => prepareCollection(accounts, [{ key: { name: 1 }, unique: true }], db),

    find: async (id: string) => rowOf(await accounts.findOne({ _id: id })),
    findByName: async (name: string) => rowOf(await accounts.findOne({ name })),
    findByIdOrName: async (text: string) => rowOf(await accounts.findOne({ $or: [{ _id: text }, { name: text }] })),
    list: async () =>
      (await accounts.find().sort({ created_at: 1, _id: 1 }).toArray()).map(({ _id, ...fields }) => ({ id: _id, ...fields })),

    /** The account of this name, made when it is missing; two who make it at once get the same one. */
    async ensure(account: AccountRow): Promise<AccountRow> {
      const { id, ...fields } = account;
      try {
        const document = await accounts.findOneAndUpdate(
          { name: account.name },
          { $setOnInsert: { _id: id, ...fields } },
          { upsert: true, returnDocument: 'after' },
        );
        return rowOf(document) ?? account;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return rowOf(await accounts.findOne({ name: account.name })) ?? account;
      }
    },

    /** Changes plan or status and tells every gateway. */
    async update(tx: Transaction, id: string, change: Partial<Pick<AccountRow, 'plan' | 'status' | 'daily_requests'>>) {
      await accounts.updateOne({ _id: id }, { $set: { ...change, updated_at: new Date() } }, { session: tx.session });
      await outbox.add(tx, AccountChanged, id, { account_id: id });
    },
  };
}

function rowOf(document: AccountDocument | null): AccountRow | undefined {
  if (!document) return undefined;
  const { _id, ...fields } = document;
  return { id: _id, ...fields };
}
