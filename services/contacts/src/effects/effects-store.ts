import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** The result of an effect that a workflow requested. */
export type EffectResult = { status: 'done' | 'refused'; reason: string | null; revision: number | null };

type EffectDocument = EffectResult & { _id: string; account_id: AccountId; at: Date };

export type EffectsStore = ReturnType<typeof createEffectsStore>;

/** A run gives up on an effect after one day, and the stream keeps the request for seven. */
const keepSeconds = 9 * 24 * 60 * 60;

/** Owns the `effects` collection: the result of each effect that was carried out, by account and key. */
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

    async resultOf(tx: Transaction, accountId: AccountId, key: string): Promise<EffectResult | undefined> {
      const row = await effects.findOne({ _id: idOf(accountId, key), account_id: accountId }, { session: tx.session });
      return row ? { status: row.status, reason: row.reason, revision: row.revision } : undefined;
    },

    /** Runs in the transaction of the effect: if two carry it out at once, one restarts and finds the result of the other. */
    async keep(
      tx: Transaction,
      accountId: AccountId,
      { key, result, now = new Date() }: { key: string; result: EffectResult; now?: Date },
    ) {
      await effects.insertOne({ _id: idOf(accountId, key), account_id: accountId, ...result, at: now }, { session: tx.session });
    },
  };
}
