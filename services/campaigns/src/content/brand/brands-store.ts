import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Revisioned } from '@mp/service-kit/settings-revision';
import type { Db } from 'mongodb';
import { type Brand, defaultBrand } from './brand.ts';

type BrandDocument = Partial<Revisioned<Brand>> & { _id: AccountId; account_id: AccountId };

export type BrandsStore = ReturnType<typeof createBrandsStore>;

/** One row for each account that has set its brand. */
export function createBrandsStore(db: Db) {
  const brands = db.collection<BrandDocument>('brands');

  return {
    prepare: () => prepareCollection(brands, [{ name: 'account', key: { account_id: 1 } }], db),

    async of(accountId: AccountId, tx?: Transaction): Promise<Revisioned<Brand>> {
      const row = await brands.findOne({ _id: accountId, account_id: accountId }, tx && { session: tx.session });
      const { _id, account_id, ...chosen } = row ?? {};
      return { ...defaultBrand, revision: 0, ...chosen };
    },

    async replace(tx: Transaction, accountId: AccountId, chosen: Revisioned<Brand>) {
      await brands.updateOne({ _id: accountId }, { $set: { account_id: accountId, ...chosen } }, { session: tx.session, upsert: true });
    },
  };
}
