import { randomBytes } from 'node:crypto';
import type { AccountId, UserId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { secretHash } from '../../credentials/secret-hash.ts';
import type { Owner } from './factor.ts';

/** `_id` is a hash of the user and the code. */
type RecoveryCodeDocument = { _id: string; account_id: AccountId; user_id: UserId; created_at: Date };

export type RecoveryCodesStore = ReturnType<typeof createRecoveryCodesStore>;

const codesPerUser = 10;

/** Crockford's base32, without letters that look like digits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** 80 random bits, so a fast hash is enough; written in groups of four. */
const newCode = () =>
  [...randomBytes(16)].map((byte, index) => (index > 0 && index % 4 === 0 ? '-' : '') + alphabet.charAt(byte % alphabet.length)).join('');

/** The code as it was given out, however it was typed. */
const spelled = (code: string) => code.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');

/** Owns the `recovery_codes` collection. */
export function createRecoveryCodesStore(db: Db) {
  const recoveryCodes = db.collection<RecoveryCodeDocument>('recovery_codes');
  const ofUser = ({ id, account_id }: Owner) => ({ account_id, user_id: id });
  const hashOf = ({ id }: Owner, code: string) => secretHash(`recovery code ${id} ${spelled(code)}`);

  return {
    prepare: () => prepareCollection(recoveryCodes, [{ key: { account_id: 1, user_id: 1 } }], db),

    count: (user: Owner, tx?: Transaction) => recoveryCodes.countDocuments(ofUser(user), tx && { session: tx.session }),

    /** Creates codes in place of the earlier ones and returns them; only their hashes are stored. */
    async replace(tx: Transaction, user: Owner, now: Date): Promise<string[]> {
      await this.removeAll(tx, user);
      const codes = Array.from({ length: codesPerUser }, newCode);
      const rows = codes.map((code) => ({ _id: hashOf(user, code), ...ofUser(user), created_at: now }));
      await recoveryCodes.insertMany(rows, { session: tx.session });
      return codes;
    },

    /** Uses up a code. False if it is unknown, replaced or already used. */
    async use(tx: Transaction, user: Owner, code: string): Promise<boolean> {
      const { deletedCount } = await recoveryCodes.deleteOne({ _id: hashOf(user, code), ...ofUser(user) }, { session: tx.session });
      return deletedCount === 1;
    },

    async removeAll(tx: Transaction, user: Owner) {
      await recoveryCodes.deleteMany(ofUser(user), { session: tx.session });
    },
  };
}
