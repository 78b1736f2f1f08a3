import type { AccountId } from '@mp/ids';
import type { Db } from 'mongodb';
import type { z } from 'zod';
import { prepareCollection, type Transaction } from './mongo.ts';

type EffectDocument = { _id: string; account_id: AccountId; at: Date } & Record<string, unknown>;

/** An effect by its account and key. */
type NamedEffect = { accountId: AccountId; key: string };

export type EffectsStore<Result extends Record<string, unknown>> = ReturnType<typeof createEffectsStore<Result>>;

/** A run gives up on an effect after one day, and the stream keeps the request for seven. */
const keepSeconds = 9 * 24 * 60 * 60;

/** Owns the `effects` collection: the result of each effect that a workflow requested, by account and key, so that it happens once. */
export function createEffectsStore<Result extends Record<string, unknown>>(db: Db, Result: z.ZodType<Result>) {
  const effects = db.collection<EffectDocument>('effects');
  const idOf = ({ accountId, key }: NamedEffect) => `${accountId} ${key}`;

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

    /** What is kept of these effects, of any accounts. */
    async results(names: readonly NamedEffect[], tx?: Transaction): Promise<(named: NamedEffect) => Result | undefined> {
      if (names.length === 0) return () => undefined;
      const account_id = { $in: [...new Set(names.map(({ accountId }) => accountId))] };
      const rows = await effects.find({ _id: { $in: names.map(idOf) }, account_id }, tx && { session: tx.session }).toArray();
      const found = new Map(rows.map((row) => [row._id, Result.parse(row)]));
      return (named) => found.get(idOf(named));
    },

    /** Runs in the transaction of the effects: if two carry one out at once, one restarts and finds the result of the other. */
    async keep(tx: Transaction, kept: readonly (NamedEffect & { result: Result })[]) {
      if (kept.length === 0) return;
      const at = new Date();
      await effects.insertMany(
        kept.map(({ result, ...named }) => ({ ...result, _id: idOf(named), account_id: named.accountId, at })),
        { session: tx.session },
      );
    },
  };
}
