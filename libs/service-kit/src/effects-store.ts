import type { AccountId } from '@mp/ids';
import type { Db } from 'mongodb';
import type { z } from 'zod';
import { prepareCollection, type Transaction } from './mongo.ts';

type EffectDocument = { _id: string; account_id: AccountId; at: Date } & Record<string, unknown>;

export type EffectsStore<Result extends Record<string, unknown>> = ReturnType<typeof createEffectsStore<Result>>;

/** A run gives up on an effect after one day, and the stream keeps the request for seven. */
const keepSeconds = 9 * 24 * 60 * 60;

/** Owns the `effects` collection: the result of each effect that a workflow requested, by account and key, so that it happens once. */
export function createEffectsStore<Result extends Record<string, unknown>>(db: Db, Result: z.ZodType<Result>) {
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

    async resultOf(accountId: AccountId, key: string, tx?: Transaction): Promise<Result | undefined> {
      const row = await effects.findOne({ _id: idOf(accountId, key), account_id: accountId }, tx && { session: tx.session });
      return row ? Result.parse(row) : undefined;
    },

    /** Runs in the transaction of the effect: if two carry it out at once, one restarts and finds the result of the other. */
    async keep(tx: Transaction, accountId: AccountId, key: string, result: Result) {
      await effects.insertOne({ ...result, _id: idOf(accountId, key), account_id: accountId, at: new Date() }, { session: tx.session });
    },
  };
}
