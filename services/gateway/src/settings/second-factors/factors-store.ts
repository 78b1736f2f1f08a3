import type { AccountId, UserId } from '@mp/ids';
import { newId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { Binary, type Db } from 'mongodb';
import type { Owner } from './factor.ts';
import type { TotpSecrets } from './totp.ts';

type Common = { _id: string; account_id: AccountId; user_id: UserId; name: string; created_at: Date; last_used_at: Date | null };

/** An authenticator app. It counts once a code has confirmed it; until then it expires. `last_step` is that of the last accepted code. */
export type TotpDocument = Common & { kind: 'totp'; sealed_secret: string; last_step: number; expires_at?: Date };

export type PasskeyDocument = Common & {
  kind: 'passkey';
  credential_id: string;
  public_key: Binary;
  counter: number;
  transports: string[];
};

export type FactorDocument = TotpDocument | PasskeyDocument;

type NewPasskey = Pick<PasskeyDocument, 'name' | 'credential_id' | 'counter' | 'transports'> & { public_key: Uint8Array };

export type FactorsStore = ReturnType<typeof createFactorsStore>;

const confirmWithinMs = 15 * 60_000;

const noStep = 0;

/** Owns the `second_factors` collection. */
export function createFactorsStore(db: Db, totpSecrets: TotpSecrets) {
  const factors = db.collection<FactorDocument>('second_factors');
  const ofUser = ({ id, account_id }: Owner) => ({ account_id, user_id: id });
  const counting = { expires_at: { $exists: false } };

  return {
    prepare: () =>
      prepareCollection(
        factors,
        [
          { key: { account_id: 1, user_id: 1 } },
          { key: { credential_id: 1 }, name: 'one_credential', unique: true, partialFilterExpression: { credential_id: { $gt: '' } } },
          { key: { expires_at: 1 }, expireAfterSeconds: 0 },
        ],
        db,
      ),

    /** The confirmed factors, oldest first. */
    list: (user: Owner, tx?: Transaction) =>
      factors
        .find({ ...ofUser(user), ...counting }, tx && { session: tx.session })
        .sort({ created_at: 1, _id: 1 })
        .toArray(),

    /** The passkey with this credential ID, of any user: it may sign in alone. */
    async passkey(credentialId: string): Promise<PasskeyDocument | undefined> {
      const found = await factors.findOne({ credential_id: credentialId });
      return found?.kind === 'passkey' ? found : undefined;
    },

    /** Begins an authenticator app, in place of one that was begun and not confirmed. */
    async beginTotp(tx: Transaction, user: Owner, { secret, name, now }: { secret: string; name: string; now: Date }): Promise<string> {
      await factors.deleteMany({ ...ofUser(user), expires_at: { $exists: true } }, { session: tx.session });
      const _id = newId('factor');
      await factors.insertOne(
        {
          ...{ _id, ...ofUser(user), kind: 'totp', name, created_at: now, last_used_at: null },
          ...{ sealed_secret: totpSecrets.seal(_id, secret), last_step: noStep },
          expires_at: new Date(now.getTime() + confirmWithinMs),
        },
        { session: tx.session },
      );
      return _id;
    },

    async findBegun(user: Owner, id: string, now: Date, tx: Transaction): Promise<TotpDocument | undefined> {
      const found = await factors.findOne({ _id: id, ...ofUser(user), expires_at: { $gt: now } }, { session: tx.session });
      return found?.kind === 'totp' ? found : undefined;
    },

    async confirmTotp(tx: Transaction, { _id, account_id }: TotpDocument, step: number, now: Date): Promise<boolean> {
      const { modifiedCount } = await factors.updateOne(
        { _id, account_id, expires_at: { $gt: now } },
        { $set: { last_step: step, last_used_at: now }, $unset: { expires_at: 1 } },
        { session: tx.session },
      );
      return modifiedCount === 1;
    },

    /** Notes that the code of this step was accepted. False if it, or a later one, has been accepted before. */
    async useStep(tx: Transaction, { _id, account_id }: TotpDocument, step: number, now: Date): Promise<boolean> {
      const { modifiedCount } = await factors.updateOne(
        { _id, account_id, last_step: { $lt: step } },
        { $set: { last_step: step, last_used_at: now } },
        { session: tx.session },
      );
      return modifiedCount === 1;
    },

    async addPasskey(tx: Transaction, user: Owner, { public_key, ...passkey }: NewPasskey, now: Date): Promise<string> {
      const _id = newId('factor');
      const key = new Binary(public_key);
      await factors.insertOne(
        { _id, ...ofUser(user), kind: 'passkey', ...passkey, public_key: key, created_at: now, last_used_at: now },
        { session: tx.session },
      );
      return _id;
    },

    /** Notes the new counter of a passkey. False if it was used in the meantime. */
    async usePasskey(tx: Transaction, { _id, account_id, counter }: PasskeyDocument, newCounter: number, now: Date): Promise<boolean> {
      const { matchedCount } = await factors.updateOne(
        { _id, account_id, counter },
        { $set: { counter: newCounter, last_used_at: now } },
        { session: tx.session },
      );
      return matchedCount === 1;
    },

    async rename(tx: Transaction, user: Owner, id: string, name: string): Promise<FactorDocument | undefined> {
      const renamed = await factors.findOneAndUpdate(
        { _id: id, ...ofUser(user), ...counting },
        { $set: { name } },
        { session: tx.session },
      );
      return renamed ?? undefined;
    },

    async remove(tx: Transaction, user: Owner, id: string): Promise<FactorDocument | undefined> {
      return (await factors.findOneAndDelete({ _id: id, ...ofUser(user), ...counting }, { session: tx.session })) ?? undefined;
    },

    async removeAll(tx: Transaction, user: Owner): Promise<number> {
      return (await factors.deleteMany(ofUser(user), { session: tx.session })).deletedCount;
    },

    /** Reseals the secrets whose key is no longer the signing key, so that it can later be removed from the keyring. */
    async resealSecrets() {
      for await (const factor of factors.find({ kind: 'totp' })) {
        if (factor.kind !== 'totp' || !totpSecrets.isOutdated(factor.sealed_secret)) continue;
        const { _id, account_id, sealed_secret } = factor;
        const secret = totpSecrets.unseal(_id, sealed_secret);
        if (secret === undefined) continue;
        await factors.updateOne({ _id, account_id, sealed_secret }, { $set: { sealed_secret: totpSecrets.seal(_id, secret) } });
      }
    },
  };
}
