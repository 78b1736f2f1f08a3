import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Revisioned } from '@mp/service-kit/settings-revision';
import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import { defaultSettings, type LeadpulseSettings } from './settings.ts';

/** Rows of earlier versions lack the settings that came later. */
type SettingsDocument = Partial<Revisioned<LeadpulseSettings>> & { _id: string; account_id: AccountId };

const knownMs = 10_000;
const maxKnown = 10_000;

export type SettingsStore = ReturnType<typeof createSettingsStore>;

/** Owns the `settings` collection: one row per account that has changed its settings. */
export function createSettingsStore(db: Db) {
  const settings = db.collection<SettingsDocument>('settings');
  const known = new LRUCache<string, LeadpulseSettings>({ max: maxKnown, ttl: knownMs });

  async function of(accountId: AccountId, tx?: Transaction): Promise<Revisioned<LeadpulseSettings>> {
    const row = await settings.findOne({ _id: accountId, account_id: accountId }, tx && { session: tx.session });
    if (!row) return { ...defaultSettings, revision: 0 };
    const { _id, account_id, ...chosen } = row;
    return { ...defaultSettings, revision: 0, ...chosen };
  }

  return {
    prepare: () => prepareCollection(settings, [{ name: 'account', key: { account_id: 1 } }], db),

    of,

    /** The settings as of at most ten seconds ago, for events. */
    async cached(accountId: AccountId): Promise<LeadpulseSettings> {
      const found = known.get(accountId) ?? (await of(accountId));
      known.set(accountId, found, { noUpdateTTL: true });
      return found;
    },

    async replace(tx: Transaction, accountId: AccountId, chosen: Revisioned<LeadpulseSettings>) {
      await settings.replaceOne({ _id: accountId }, { account_id: accountId, ...chosen }, { session: tx.session, upsert: true });
      tx.afterCommit(() => {
        known.delete(accountId);
      });
    },
  };
}
