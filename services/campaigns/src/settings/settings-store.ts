import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { type CampaignSettings, defaultSettings } from './settings.ts';

type SettingsDocument = Partial<CampaignSettings> & { _id: AccountId; account_id: AccountId };

export type SettingsStore = ReturnType<typeof createSettingsStore>;

/** One row for each account that has changed its settings. */
export function createSettingsStore(db: Db) {
  const settings = db.collection<SettingsDocument>('settings');

  return {
    prepare: () => prepareCollection(settings, [{ name: 'account', key: { account_id: 1 } }], db),

    async of(accountId: AccountId, tx?: Transaction): Promise<CampaignSettings> {
      const row = await settings.findOne({ _id: accountId, account_id: accountId }, tx && { session: tx.session });
      const { _id, account_id, ...chosen } = row ?? {};
      return { ...defaultSettings, ...chosen };
    },

    async replace(tx: Transaction, accountId: AccountId, chosen: CampaignSettings) {
      await settings.updateOne({ _id: accountId }, { $set: { account_id: accountId, ...chosen } }, { session: tx.session, upsert: true });
    },
  };
}
