import { ApiError, notFound } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, listQuery } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { z } from 'zod';
import type { IdentitySecrets } from './identity-secret.ts';
import { maxSites, type StoredSite } from './site.ts';

/** Events of a site that are not stored, by why. */
export type UnstoredEvents = { excluded_events?: number; dropped_events?: number };

/** Rows of an earlier version do not count them. */
type SiteDocument = Omit<StoredSite, 'id' | keyof UnstoredEvents> & { _id: string } & UnstoredEvents;

export const ListSitesQuery = z.strictObject(listQuery);

export type SitesStore = ReturnType<typeof createSitesStore>;

/** Owns the `sites` collection. Every query names the account, except the lookup by publishable key. */
export function createSitesStore(db: Db, cursors: Cursors) {
  const sites = db.collection<SiteDocument>('sites');
  const order = { field: 'created_at', direction: -1 } as const;

  return {
    prepare: () =>
      prepareCollection(
        sites,
        [
          { name: 'key', key: { publishable_key: 1 }, unique: true },
          { name: 'created_at', key: { account_id: 1, created_at: 1, _id: 1 } },
        ],
        db,
      ),

    /** Throws PLAN_LIMIT_EXCEEDED if the account has too many sites. */
    async insert(tx: Transaction, { id, ...site }: StoredSite) {
      const present = await sites.countDocuments({ account_id: site.account_id }, { session: tx.session });
      if (present >= maxSites)
        throw new ApiError('PLAN_LIMIT_EXCEEDED', `An account can have at most ${maxSites} sites; delete one first.`);
      await sites.insertOne({ _id: id, ...site }, { session: tx.session });
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string, tx?: Transaction): Promise<StoredSite> {
      const row = await sites.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      if (!row) throw notFound();
      return siteOf(row);
    },

    /** Does not change the times and numbers of events, which change outside of transactions. */
    async update(tx: Transaction, { id, account_id, first_event_at, last_event_at, excluded_events, dropped_events, ...site }: StoredSite) {
      await sites.updateOne({ _id: id, account_id }, { $set: site }, { session: tx.session });
    },

    async remove(tx: Transaction, accountId: AccountId, id: string) {
      await sites.deleteOne({ _id: id, account_id: accountId }, { session: tx.session });
    },

    async list(accountId: AccountId, { limit, cursor }: z.output<typeof ListSitesQuery>) {
      const { items, pagination } = await findPage({
        collection: sites,
        filter: { account_id: accountId },
        order,
        limit,
        cursor,
        cursors,
        boundTo: ['sites', accountId],
      });
      return { items: items.map(siteOf), pagination };
    },

    /** All sites of an account; there are at most `maxSites`. */
    async all(accountId: AccountId): Promise<StoredSite[]> {
      return (await sites.find({ account_id: accountId }).limit(maxSites).toArray()).map(siteOf);
    },

    async byKey(publishableKey: string): Promise<StoredSite | undefined> {
      const row = await sites.findOne({ publishable_key: publishableKey });
      return row ? siteOf(row) : undefined;
    },

    async noteEvent(accountId: AccountId, id: string, at: Date) {
      const own = { _id: id, account_id: accountId };
      await sites.updateOne({ ...own, first_event_at: null }, { $set: { first_event_at: at } });
      await sites.updateOne(own, { $max: { last_event_at: at } });
    },

    async noteUnstored(accountId: AccountId, id: string, counts: UnstoredEvents) {
      await sites.updateOne({ _id: id, account_id: accountId }, { $inc: counts });
    },

    /** Reseals the secrets whose key is no longer the signing key, so that it can later be removed from the keyring. */
    async resealSecrets({ isOutdated, seal, unseal }: IdentitySecrets) {
      for await (const { _id, account_id, sealed_secret } of sites.find({}, { projection: { account_id: 1, sealed_secret: 1 } })) {
        const secret = isOutdated(sealed_secret) ? unseal(_id, sealed_secret) : undefined;
        if (secret !== undefined) await sites.updateOne({ _id, account_id, sealed_secret }, { $set: { sealed_secret: seal(_id, secret) } });
      }
    },
  };
}

const siteOf = ({ _id, excluded_events = 0, dropped_events = 0, ...site }: SiteDocument): StoredSite => ({
  id: _id,
  ...site,
  excluded_events,
  dropped_events,
});
