import type { AccountId, CouponId, RecipientId, RunId } from '@mp/ids';
import { isDuplicateKey, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

type CodeDocument = {
  /** The ID of the coupon and the code, so that a coupon has each code once. */
  _id: string;
  account_id: AccountId;
  coupon_id: CouponId;
  code: string;
  /** Present until the code is handed out. The code of a coupon that is not single use never is free. */
  free?: true;
  /** Who has the code. */
  holder?: CodeHolder;
  given_at?: Date;
};

/** A row of the ledger, or the run of a workflow: all its emails have the same code of a coupon, so that a reminder repeats it. */
export type CodeHolder = RecipientId | RunId;

type Own = { accountId: AccountId; couponId: CouponId };

const idOf = (couponId: CouponId, code: string) => `${couponId} ${code}`;

/**
 * The codes of coupons. A code has at most one holder, because it is written only while it is free, and a holder has at most one code of
 * a coupon, because an index is unique. As the ledger has one row for each contact and campaign, a contact gets one code for each
 * campaign and each run of a workflow, whichever worker prepares its email, and however often.
 */
export function createCouponCodes(db: Db) {
  const codes = db.collection<CodeDocument>('coupon_codes');
  const ofCoupon = ({ accountId, couponId }: Own) => ({ account_id: accountId, coupon_id: couponId });

  return {
    prepare: () =>
      prepareCollection(
        codes,
        [
          { key: { account_id: 1, coupon_id: 1, _id: 1 }, name: 'free', partialFilterExpression: { free: true } },
          {
            key: { account_id: 1, coupon_id: 1, holder: 1 },
            name: 'given',
            unique: true,
            partialFilterExpression: { holder: { $exists: true } },
          },
          { key: { account_id: 1, coupon_id: 1 }, name: 'of_coupon' },
        ],
        db,
      ),

    /** Which of these codes the coupon has. */
    async known(tx: Transaction, own: Own, all: readonly string[]): Promise<ReadonlySet<string>> {
      const ids = all.map((code) => idOf(own.couponId, code));
      const { session } = tx;
      const found = await codes.find({ account_id: own.accountId, _id: { $in: ids } }, { session, projection: { code: 1 } }).toArray();
      return new Set(found.map(({ code }) => code));
    },

    async add(tx: Transaction, { isFree, ...own }: Own & { isFree: boolean }, added: readonly string[]) {
      if (added.length === 0) return;
      await codes.insertMany(
        added.map((code) => ({ _id: idOf(own.couponId, code), ...ofCoupon(own), code, ...(isFree && { free: true }) })),
        { session: tx.session },
      );
    },

    left: (accountId: AccountId, couponId: CouponId, tx?: Transaction): Promise<number> =>
      codes.countDocuments({ ...ofCoupon({ accountId, couponId }), free: true }, { hint: 'free', ...(tx && { session: tx.session }) }),

    /** The code that all recipients of a coupon get that is not single use; undefined if it has none. */
    async shared(own: Own): Promise<string | undefined> {
      return (await codes.findOne(ofCoupon(own), { hint: 'of_coupon' }))?.code;
    },

    /**
     * The code of each of these: the one that it has, or a free one, which it then has. Those without one are missing. A process
     * that ends in between loses nothing: the next attempt finds what was written.
     */
    async give(own: Own, holders: readonly CodeHolder[]): Promise<Map<CodeHolder, string>> {
      const given = new Map<CodeHolder, string>();
      for (;;) {
        const open = [...new Set(holders)].filter((id) => !given.has(id));
        const found = await codes.find({ ...ofCoupon(own), holder: { $in: open } }, { hint: 'given' }).toArray();
        for (const { holder, code } of found) if (holder !== undefined) given.set(holder, code);
        const left = open.filter((id) => !given.has(id));
        if (left.length === 0) return given;
        const free = await codes
          .find({ ...ofCoupon(own), free: true }, { projection: { _id: 1 }, hint: 'free' })
          .limit(left.length)
          .toArray();
        if (free.length === 0) return given;
        await bind(own.accountId, free, left);
      }
    },

    /** Removes the codes of a deleted coupon. */
    async remove(accountId: AccountId, couponId: CouponId) {
      await codes.deleteMany(ofCoupon({ accountId, couponId }));
    },
  };

  /** Another worker may have bound some of these codes, or given some of these a code, in the meantime. */
  async function bind(accountId: AccountId, free: readonly Pick<CodeDocument, '_id'>[], holders: readonly CodeHolder[]) {
    const given_at = new Date();
    const updates = free.flatMap(({ _id }, index) => {
      const holder = holders[index];
      if (holder === undefined) return [];
      const filter = { _id, account_id: accountId, free: true as const };
      return [{ updateOne: { filter, update: { $set: { holder, given_at }, $unset: { free: '' as const } } } }];
    });
    await codes.bulkWrite(updates, { ordered: false }).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
  }
}
