import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** What became of an effect that a workflow asked for. */
export type EffectAnswer = { status: 'done' | 'refused'; reason: string | null; revision: number | null };

type EffectDocument = EffectAnswer & { _id: string; account_id: string; at: Date };

export type EffectsStore = ReturnType<typeof createEffectsStore>;

/** A run gives an effect up after a day, and a stream keeps what was asked for seven. */
const keepSeconds = 9 * 24 * 60 * 60;

/** The only place that knows the `effects` collection: which effects were carried out, each by its account and key. */
export function createEffectsStore(db: Db) {
  const effects = db.collection<EffectDocument>('effects');
  const idOf = (accountId: string, key: string) => `${accountId} ${key}`;

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

    async answered(tx: Transaction, accountId: string, key: string): Promise<EffectAnswer | undefined> {
      const row = await effects.findOne({ _id: idOf(accountId, key), account_id: accountId }, { session: tx.session });
      return row ? { status: row.status, reason: row.reason, revision: row.revision } : undefined;
    },

    /** In the transaction of the effect: of two that carry it out at once, one begins again and finds the other's answer. */
    async keep(tx: Transaction, accountId: string, key: string, answer: EffectAnswer, now = new Date()) {
      await effects.insertOne({ _id: idOf(accountId, key), account_id: accountId, ...answer, at: now }, { session: tx.session });
    },
  };
}
