import { ConsentStatus } from '@mp/contracts/contact';
import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { revised, settingsRevision } from '@mp/service-kit/settings-revision';
import type { Db } from 'mongodb';
import { z } from 'zod';

/** An account's settings for all its contacts. */
export const ContactSettings = z
  .object({
    default_consent: ConsentStatus.extract(['subscribed', 'pending']).describe(
      'The email consent of contacts created without one, through the API or an import. Defaults to `subscribed`; `pending` until the ' +
        'contact confirms.',
    ),
    revision: settingsRevision,
    default_consent_chosen: z.boolean().describe('Whether the account has ever set `default_consent`. Read-only.'),
  })
  .meta({ id: 'ContactSettings' });
export type ContactSettings = z.infer<typeof ContactSettings>;

type Chosen = Pick<ContactSettings, 'default_consent'>;
type SettingsDocument = Chosen & { revision?: number; _id: string; account_id: AccountId };

export type SettingsStore = ReturnType<typeof createSettingsStore>;

const defaults: ContactSettings = { default_consent: 'subscribed', default_consent_chosen: false, revision: 0 };

/** Owns the `settings` collection: one row per account that has changed its settings. */
export function createSettingsStore(db: Db) {
  const settings = db.collection<SettingsDocument>('settings');

  return {
    prepare: () => prepareCollection(settings, [{ name: 'account', key: { account_id: 1 } }], db),

    async of(accountId: AccountId, tx?: Transaction): Promise<ContactSettings> {
      const row = await settings.findOne({ _id: accountId, account_id: accountId }, tx && { session: tx.session });
      return row ? { default_consent: row.default_consent, default_consent_chosen: true, revision: row.revision ?? 0 } : defaults;
    },

    async replace(tx: Transaction, accountId: AccountId, before: ContactSettings, chosen: Chosen): Promise<ContactSettings> {
      const after = revised(before, { ...chosen, default_consent_chosen: true });
      const row = { account_id: accountId, ...chosen, revision: after.revision };
      await settings.updateOne({ _id: accountId }, { $set: row }, { session: tx.session, upsert: true });
      return after;
    },
  };
}
