import type { AccountId, ContactId, RecipientId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Collection } from 'mongodb';
import type { RecipientDocument } from './recipient-row.ts';

/** The erasure of contacts from the ledger. The rows stay, so that the sums hold. */
export const createErasedRows = (recipients: Collection<RecipientDocument>) => ({
  /** The contents of messages to these contacts (without those of templates), and the attachments that no other contact got. */
  async onlyOf(
    tx: Transaction,
    accountId: AccountId,
    contactIds: readonly ContactId[],
  ): Promise<{ contents: string[]; attachments: string[] }> {
    const { session } = tx;
    const messages = { account_id: accountId, source: 'message' as const, category: { $exists: true } };
    const own = await recipients.find({ ...messages, contact_id: { $in: [...contactIds] } }, { session }).toArray();
    const attached = own.flatMap(({ attachments = [] }) => attachments.map(({ id }) => id));
    const others = { ...messages, contact_id: { $nin: [...contactIds] }, 'attachments.id': { $in: attached } };
    const shared = new Set<unknown>(await recipients.distinct('attachments.id', others, { session }));
    return {
      contents: own.filter(({ template, category }) => !template && category !== 'test').map(({ content_id }) => content_id),
      attachments: [...new Set(attached)].filter((id) => !shared.has(id)),
    };
  },

  /**
   * Removes addresses, mail server responses, link targets and the data of messages from a contact's rows. The rows stay, so that the sums
   * hold. Returns their IDs.
   */
  async erase(tx: Transaction, accountId: AccountId, contactIds: readonly ContactId[]): Promise<RecipientId[]> {
    const { session } = tx;
    const own = { account_id: accountId, contact_id: { $in: [...contactIds] } };
    const rows = await recipients.find(own, { session, projection: { _id: 1 } }).toArray();
    if (rows.length > 0) {
      const $unset = {
        ...{ links: '' as const, to: '' as const, data: '' as const, run_values: '' as const, attachments: '' as const },
        coupon_code: '' as const,
      };
      await recipients.updateMany(own, { $set: { address: null, detail: null }, $unset }, { session });
    }
    return rows.map(({ _id }) => _id);
  },
});
