import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** Why an effect that a workflow requested was refused; null if it was carried out. */
export type EffectResult = { refused: string | null };

type EffectDocument = EffectResult & { _id: string; account_id: AccountId; at: Date };

export type EffectsStore = ReturnType<typeof createEffectsStore>;

/** A run gives up on an effect after one day. */
const keepSeconds = 9 * 24 * 60 * 60;

/** Owns the `effects` collection: the result of each effect of a workflow, by account and key. */
export function createEffectsStore(db: Db) {
  const effects = db.collection<EffectDocument>('effects');
  const idOf = (accountId: AccountId, key: string) => `${accountId} ${key}`;

  return {
    prepare: () =>
      prepareCollection(
        effects,
        [
          { name: 'account', key: { account_id: 1 } },
          { name: 'expiry', key: { at: 1 }, expireAfterSeconds: keepSeconds },
        ],
        db,
      ),

    async resultOf(accountId: AccountId, key: string, tx?: Transaction): Promise<EffectResult | undefined> {
      const row = await effects.findOne({ _id: idOf(accountId, key), account_id: accountId }, tx && { session: tx.session });
      return row ? { refused: row.refused } : undefined;
    },

    /** Runs in the transaction of the effect: if two carry it out at once, one restarts and finds the result of the other. */
    async keep(tx: Transaction, accountId: AccountId, key: string, result: EffectResult) {
      await effects.insertOne({ _id: idOf(accountId, key), account_id: accountId, ...result, at: new Date() }, { session: tx.session });
    },
  };
}
