import { isDeepStrictEqual } from 'node:util';
import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { type Revisioned, revised } from '@mp/service-kit/settings-revision';
import type { Db } from 'mongodb';
import { type CampaignSettings, defaultSettings } from './settings.ts';

type SettingsDocument = Partial<CampaignSettings> & {
  _id: AccountId;
  account_id: AccountId;
  /** Increases with every change. */
  revision?: number;
  changed_at?: Date;
  /** When the emails that wait because of an earlier revision are looked for next; missing once none can be left. */
  recheck_at?: Date;
};

/** Settings and their revision, which emails that wait because of them carry. */
export type SettingsInForce = { settings: CampaignSettings; revision: number };

/** An account whose settings have changed. */
export type ChangedSettings = { accountId: AccountId; revision: number; changedAt: Date };

export type SettingsStore = ReturnType<typeof createSettingsStore>;

/** The settings for which emails wait. The frequency cap is not one of them: emails that it forbids are skipped. */
const causesOf = ({ sending_paused, quiet_hours, domain_throttles }: CampaignSettings) => ({
  ...{ sending_paused, quiet_hours, domain_throttles },
});

/** One row for each account that has changed its settings. */
export function createSettingsStore(db: Db) {
  const collection = db.collection<SettingsDocument>('settings');

  async function inForce(accountId: AccountId, tx?: Transaction): Promise<SettingsInForce> {
    const row = await collection.findOne({ _id: accountId, account_id: accountId }, tx && { session: tx.session });
    const { _id, account_id, revision = 0, changed_at, recheck_at, ...chosen } = row ?? {};
    return { settings: { ...defaultSettings, ...chosen }, revision };
  }

  return {
    prepare: () =>
      prepareCollection(
        collection,
        [
          { name: 'account', key: { account_id: 1 } },
          { name: 'paused', key: { sending_paused: 1 }, partialFilterExpression: { sending_paused: true } },
          { name: 'recheck', key: { recheck_at: 1 }, partialFilterExpression: { recheck_at: { $exists: true } } },
        ],
        db,
      ),

    inForce,

    /** The accounts that have stopped all sending. */
    async paused(): Promise<ReadonlySet<AccountId>> {
      const found = await collection.find({ sending_paused: true }, { projection: { _id: 1 }, hint: 'paused' }).toArray();
      return new Set(found.map(({ _id }) => _id));
    },

    async of(accountId: AccountId, tx?: Transaction): Promise<Revisioned<CampaignSettings>> {
      const { settings, revision } = await inForce(accountId, tx);
      return { ...settings, revision };
    },

    async replace(tx: Transaction, accountId: AccountId, chosen: CampaignSettings): Promise<Revisioned<CampaignSettings>> {
      const { settings, revision } = await inForce(accountId, tx);
      const after = revised({ ...settings, revision }, chosen);
      const isChanged = !isDeepStrictEqual(causesOf(settings), causesOf(chosen));
      const now = new Date();
      await collection.updateOne(
        { _id: accountId },
        {
          $set: {
            account_id: accountId,
            ...after,
            ...(isChanged && { changed_at: now, recheck_at: now }),
          },
        },
        { session: tx.session, upsert: true },
      );
      return after;
    },

    /** Claims, for `leaseMs`, the account whose waiting emails have to be looked at next. Accounts take turns. */
    async claimChanged(leaseMs: number): Promise<ChangedSettings | undefined> {
      const now = new Date();
      const row = await collection.findOneAndUpdate(
        { recheck_at: { $lte: now } },
        { $set: { recheck_at: new Date(now.getTime() + leaseMs) } },
        { sort: { recheck_at: 1 }, returnDocument: 'after' },
      );
      return row ? { accountId: row.account_id, revision: row.revision ?? 0, changedAt: row.changed_at ?? now } : undefined;
    },

    /** When the waiting emails are looked at again; never if undefined. Settings that have changed again are due at once. */
    async recheck({ accountId, revision }: ChangedSettings, at: Date | undefined) {
      await collection.updateOne(
        { _id: accountId, account_id: accountId, revision },
        at ? { $set: { recheck_at: at } } : { $unset: { recheck_at: '' } },
      );
    },
  };
}
