import { ApiError, notFound } from '@mp/contracts/errors';
import type { AccountId, CouponId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { type Coupon, maxCodes, maxCoupons, type StoredCoupon } from './coupon.ts';
import { type CodeHolder, createCouponCodes } from './coupon-codes.ts';

type CouponDocument = Omit<StoredCoupon, 'id' | 'created_at' | 'updated_at' | 'expires_at'> & {
  _id: CouponId;
  account_id: AccountId;
  expires_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

/** A deleted coupon whose codes are still being removed. */
type RemovalDocument = { _id: CouponId; account_id: AccountId };

type ListRequest = { limit: number; cursor?: string | undefined; include?: 'total_count' | undefined; sort: string };

export type CouponsStore = ReturnType<typeof createCouponsStore>;

/** Coupons and their codes. Every query names the account. */
export function createCouponsStore(db: Db, cursors: Cursors) {
  const coupons = db.collection<CouponDocument>('coupons');
  const removals = db.collection<RemovalDocument>('coupon_removals');
  const codes = createCouponCodes(db);

  const withLeft = async (accountId: AccountId, coupon: StoredCoupon, tx?: Transaction): Promise<Coupon> => {
    const { description, single_use, expires_at, codes_count, revision, created_at, updated_at, ...named } = coupon;
    const codes_left = single_use ? await codes.left(accountId, coupon.id, tx) : null;
    return { ...named, description, single_use, expires_at, codes_count, codes_left, revision, created_at, updated_at };
  };

  async function get(accountId: AccountId, id: CouponId, tx?: Transaction): Promise<Coupon> {
    const document = await coupons.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
    if (!document) throw notFound();
    return withLeft(accountId, couponOf(document), tx);
  }

  /** Throws CONFLICT for too many codes, and for a second code of a coupon that is not single use. */
  function requireRoom({ single_use, codes_count }: StoredCoupon, more: number) {
    const most = single_use ? maxCodes : 1;
    if (codes_count + more <= most) return;
    const message = single_use
      ? `A coupon can have ${maxCodes} codes; this one has ${codes_count}. Create another coupon for the rest.`
      : 'A coupon that is not single use has one code.';
    throw new ApiError('CONFLICT', message, { details: [{ path: '/codes', code: 'too_many_codes', message }] });
  }

  /** In steps, because one transaction cannot remove so many codes. Finished by `prepare` if the process ends before. */
  async function removeCodes({ _id, account_id }: RemovalDocument) {
    await codes.remove(account_id, _id);
    await removals.deleteOne({ _id, account_id });
  }

  return {
    async prepare() {
      await codes.prepare();
      await prepareCollection(
        coupons,
        [
          { key: { account_id: 1, name: 1 }, name: 'name', unique: true },
          { key: { account_id: 1, created_at: 1, _id: 1 }, name: 'created_at' },
        ],
        db,
      );
      await prepareCollection(removals, [{ key: { account_id: 1 } }], db);
      for await (const removal of removals.find()) await removeCodes(removal);
    },

    /** The code of each of these; they are missing if none is left. */
    async give(accountId: AccountId, { id, single_use }: StoredCoupon, holders: readonly CodeHolder[]): Promise<Map<CodeHolder, string>> {
      const own = { accountId, couponId: id };
      if (single_use) return codes.give(own, holders);
      const code = await codes.shared(own);
      return new Map(code === undefined ? [] : holders.map((holder) => [holder, code]));
    },

    left: codes.left,

    /** Throws NOT_FOUND. */
    get,

    async findByName(accountId: AccountId, name: string): Promise<StoredCoupon | undefined> {
      const document = await coupons.findOne({ account_id: accountId, name });
      return document ? couponOf(document) : undefined;
    },

    async names(accountId: AccountId): Promise<string[]> {
      const found = await coupons.find({ account_id: accountId }, { projection: { name: 1 }, limit: maxCoupons }).toArray();
      return found.map(({ name }) => name);
    },

    /** Throws CONFLICT if the name is taken, PLAN_LIMIT_EXCEEDED if the account has too many. */
    async insert(tx: Transaction, accountId: AccountId, coupon: StoredCoupon, added: readonly string[]): Promise<Coupon> {
      const { session } = tx;
      const taken = await coupons.findOne({ account_id: accountId, name: coupon.name }, { session, projection: { _id: 1 } });
      if (taken)
        throw new ApiError('CONFLICT', `Another coupon, ${taken._id}, has the name ${coupon.name}; choose another name.`, {
          details: [{ path: '/name', code: 'name_taken', message: 'Another coupon has this name.', existing_id: taken._id }],
        });
      if ((await coupons.countDocuments({ account_id: accountId }, { session, limit: maxCoupons })) >= maxCoupons)
        throw new ApiError('PLAN_LIMIT_EXCEEDED', `An account can have ${maxCoupons} coupons; delete those that no email uses.`);
      requireRoom(coupon, added.length);
      const stored = { ...coupon, codes_count: added.length };
      await coupons.insertOne(documentOf(accountId, stored), { session });
      await codes.add(tx, { accountId, couponId: coupon.id, isFree: coupon.single_use }, added);
      return withLeft(accountId, stored, tx);
    },

    /** Changes the description or the expiry. */
    async replace(tx: Transaction, accountId: AccountId, coupon: Coupon) {
      const { codes_left: _, ...stored } = coupon;
      await coupons.replaceOne({ _id: coupon.id, account_id: accountId }, documentOf(accountId, stored), { session: tx.session });
    },

    /** Adds those of these codes that the coupon does not have yet. Throws NOT_FOUND, or CONFLICT if they are too many. */
    async addCodes(tx: Transaction, accountId: AccountId, id: CouponId, all: readonly string[]) {
      const own = { accountId, couponId: id };
      const before = await get(accountId, id, tx);
      const known = await codes.known(tx, own, all);
      const fresh = all.filter((code) => !known.has(code));
      const { codes_left: _, ...stored } = before;
      requireRoom(stored, fresh.length);
      const after = { ...stored, codes_count: stored.codes_count + fresh.length, ...revisedAt(before, fresh.length > 0) };
      // Also so that two requests that add codes to one coupon conflict, and one of them is repeated.
      await coupons.replaceOne({ _id: id, account_id: accountId }, documentOf(accountId, after), { session: tx.session });
      await codes.add(tx, { ...own, isFree: stored.single_use }, fresh);
      return { added: fresh.length, duplicates: known.size, coupon: await withLeft(accountId, after, tx) };
    },

    /** Removes the coupon, and then its codes. The ledger keeps those that were handed out. */
    async remove(tx: Transaction, accountId: AccountId, id: CouponId) {
      const { session } = tx;
      await coupons.deleteOne({ _id: id, account_id: accountId }, { session });
      await removals.insertOne({ _id: id, account_id: accountId }, { session });
      tx.afterCommit(() => void removeCodes({ _id: id, account_id: accountId }).catch(() => undefined));
    },

    async list(accountId: AccountId, { limit, cursor, include, sort }: ListRequest) {
      const { items, pagination } = await findPage({
        collection: coupons,
        filter: { account_id: accountId },
        order: parseSort(sort),
        ...{ limit, cursor, cursors },
        boundTo: ['coupons', accountId, sort],
        total: include === 'total_count',
      });
      return { items: await Promise.all(items.map((document) => withLeft(accountId, couponOf(document)))), pagination };
    },
  };
}

const revisedAt = ({ revision, updated_at }: Pick<Coupon, 'revision' | 'updated_at'>, isChanged: boolean) =>
  isChanged ? { revision: revision + 1, updated_at: new Date().toISOString() } : { revision, updated_at };

const documentOf = (accountId: AccountId, { id, created_at, updated_at, expires_at, ...fields }: StoredCoupon): CouponDocument => ({
  ...{ _id: id, account_id: accountId },
  ...fields,
  expires_at: expires_at === null ? null : new Date(expires_at),
  created_at: new Date(created_at),
  updated_at: new Date(updated_at),
});

const couponOf = ({ _id, account_id: _, created_at, updated_at, expires_at, ...fields }: CouponDocument): StoredCoupon => ({
  id: _id,
  ...fields,
  expires_at: expires_at?.toISOString() ?? null,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});
