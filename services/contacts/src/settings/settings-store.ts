import { ConsentStatus } from '@mp/contracts/contact';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { z } from 'zod';

/** What an account decides about its contacts as a whole. */
export const ContactSettings = z
  .object({
    default_consent: ConsentStatus.extract(['subscribed', 'pending']).describe(
      'The e-mail consent of a contact that is created without a word on it. `pending` until the person confirms.',
    ),
  })
  .meta({ id: 'ContactSettings' });
export type ContactSettings = z.infer<typeof ContactSettings>;

type SettingsDocument = ContactSettings & { _id: string; account_id: string };

export type SettingsStore = ReturnType<typeof createSettingsStore>;

const defaults: ContactSettings = { default_consent: 'subscribed' };

/** The only place that knows the `settings` collection: one row per account that differs from the defaults. */
export function createSettingsStore(db: Db) {
  const settings = db.collection<SettingsDocument>('settings');

  return {
    prepare: () => prepareCollection(settings, [{ name: 'account', key: { account_id: 1 } }], db),

    async of(accountId: string): Promise<ContactSettings> {
      const { default_consent } = (await settings.findOne({ _id: accountId, account_id: accountId })) ?? defaults;
      return { default_consent };
    },

    async replace(tx: Transaction, accountId: string, changed: ContactSettings) {
      await settings.updateOne({ _id: accountId }, { $set: { account_id: accountId, ...changed } }, { session: tx.session, upsert: true });
    },
  };
}
