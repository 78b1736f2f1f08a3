import type { AccountId, ContactId } from '@mp/ids';
import { dayMs } from '@mp/rules/duration';
import type { Collection, Filter } from 'mongodb';
import type { FrequencyCap } from '../../settings/settings.ts';
import type { Claimed } from './claimed-row.ts';
import type { RecipientDocument } from './recipient-row.ts';

/** The reason of a contact that has had as many emails as the settings allow. */
export const frequencyCap = 'frequency_cap';

/** What the frequency cap counts. */
const marketingFilter: Filter<RecipientDocument> = { source: { $ne: 'message' }, category: { $ne: 'transactional' } };
const handedFilter: Filter<RecipientDocument> = { state: { $in: ['sending', 'sent', 'delivered', 'complained', 'unknown'] } };

type CappedEmails = ReturnType<typeof createCappedEmails>;

/** The emails in the ledger that the frequency cap counts. */
export function createCappedEmails(recipients: Collection<RecipientDocument>) {
  return {
    /** How many marketing emails each of these contacts was sent since then. */
    async emailedSince(accountId: AccountId, contactIds: readonly ContactId[], since: Date): Promise<Map<ContactId, number>> {
      const groups = await recipients
        .aggregate<{ _id: ContactId; count: number }>(
          [
            { $match: { account_id: accountId, contact_id: { $in: [...contactIds] }, handed_at: { $gte: since }, ...marketingFilter } },
            { $match: handedFilter },
            { $group: { _id: '$contact_id', count: { $sum: 1 } } },
          ],
          { hint: 'of_contact' },
        )
        .toArray();
      return new Map(groups.map(({ _id, count }) => [_id, count]));
    },

    /** When the contact was sent the `count`th latest marketing email; undefined if there were fewer. */
    async emailedAt(accountId: AccountId, contactId: ContactId, count: number): Promise<Date | undefined> {
      const [row] = await recipients
        .find(
          { account_id: accountId, contact_id: contactId, handed_at: { $exists: true }, ...marketingFilter, ...handedFilter },
          { projection: { handed_at: 1 }, hint: 'of_contact' },
        )
        .sort({ handed_at: -1 })
        .skip(count - 1)
        .limit(1)
        .toArray();
      return row?.handed_at;
    },
  };
}

type Counting = { accountId: AccountId; contactIds: readonly ContactId[]; cap: FrequencyCap | null; now: Date };

/** How many emails each of these contacts has had in the days of the cap; none are counted without a cap. */
export async function emailsUnderCap(
  { emailedSince }: Pick<CappedEmails, 'emailedSince'>,
  { accountId, contactIds, cap, now }: Counting,
): Promise<Map<ContactId, number>> {
  return cap ? emailedSince(accountId, contactIds, new Date(now.getTime() - cap.days * dayMs)) : new Map();
}

/** Whether a contact that has had this many emails gets none now. */
export const isCapped = (cap: FrequencyCap | null, emails: number) => cap !== null && emails >= cap.max_emails;

/** When the cap allows the email of a row that it forbids now: runs of workflows can wait until then. */
export async function allowedAtOf(
  { emailedAt }: Pick<CappedEmails, 'emailedAt'>,
  row: Claimed,
  cap: FrequencyCap | null,
): Promise<Date | undefined> {
  if (!cap || row.source !== 'workflow') return undefined;
  const at = await emailedAt(row.account_id, row.contact_id, cap.max_emails);
  return at && new Date(at.getTime() + cap.days * dayMs + 1);
}
