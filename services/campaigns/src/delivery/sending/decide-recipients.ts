import { type AccountId, type RecipientId, trustedId } from '@mp/ids';
import { quietUntil } from '@mp/rules/quiet-hours';
import { contactScope } from '@mp/templates/fields';
import type { FindMailable } from '../../audience/contactables/mailable-contacts.ts';
import { isHeldOut } from '../../audience/hold-out.ts';
import { plannedTimes } from '../../audience/local-time.ts';
import type { Claimed } from '../../ledger/recipients/claimed-row.ts';
import { emailsUnderCap, frequencyCap, isCapped } from '../../ledger/recipients/frequency-cap.ts';
import type { Postponed } from '../../ledger/recipients/postponed-rows.ts';
import { isPausable } from '../../ledger/recipients/recipient-row.ts';
import { heldOut } from '../../ledger/recipients/recipients-queue.ts';
import type { RecipientsStore } from '../../ledger/recipients/recipients-store.ts';
import type { ContentsStore } from '../../messages/contents-store.ts';
import type { FindMessageRecipients, MessageRecipient } from '../../messages/find-message-recipients.ts';
import type { SettingsInForce } from '../../settings/settings-store.ts';

type Later = Omit<Postponed, 'row'>;

type Deps = {
  findMailable: FindMailable;
  findMessageRecipients: FindMessageRecipients;
  contents: Pick<ContentsStore, 'of'>;
  recipients: Pick<RecipientsStore, 'emailedSince'>;
};

const dayMs = 86_400_000;

/** When emails that wait because all sending is stopped are looked at again; a change of the settings makes them due at once. */
const pausedDays = 30;

/**
 * Decides for claimed rows of one account where their email goes and what its templates read, or why it is skipped, or waits: first by
 * consent, then by local time, quiet hours, the frequency cap and the hold-out group.
 */
export function createDecideRecipients({ findMailable, findMessageRecipients, contents, recipients }: Deps) {
  return async (
    accountId: AccountId,
    rows: readonly Claimed[],
    { settings: { sending_paused, quiet_hours, frequency_cap }, revision }: SettingsInForce,
  ): Promise<(row: Claimed) => MessageRecipient | Later> => {
    if (sending_paused) {
      const sent = rows.filter((row) => !isPausable(row));
      const found = sent.length > 0 ? await findMessageRecipients(accountId, sent) : new Map<RecipientId, MessageRecipient>();
      const until = new Date(Date.now() + pausedDays * dayMs);
      return (row) =>
        isPausable(row) ? { until, reason: 'sending_paused', settings: revision } : (found.get(row._id) ?? { reason: 'deleted' });
    }
    // Messages, and transactional emails of workflows.
    const messages = rows.filter(({ category }) => category !== undefined);
    const found = messages.length > 0 ? await findMessageRecipients(accountId, messages) : new Map<RecipientId, MessageRecipient>();
    const others = rows.filter(({ category }) => category === undefined);
    const [first] = others;
    if (!first) return ({ _id }) => found.get(_id) ?? { reason: 'deleted' };
    const contactIds = [...new Set(others.map(({ contact_id }) => contact_id))];
    const sent = first.source === 'campaign' ? await contents.of(first) : undefined;
    const topic = sent?.content.topic ?? null;
    const plannedIn = sent?.schedule && plannedTimes(sent.schedule);
    const verdicts = await findMailable(accountId, contactIds, { topic });
    const now = new Date();
    const emailed = await emailsUnderCap(recipients, { accountId, contactIds, cap: frequency_cap, now });
    return ({ _id, source_id, contact_id, category, variant = '' }) => {
      if (category !== undefined) return found.get(_id) ?? { reason: 'deleted' };
      const { contact, reason } = verdicts.get(contact_id) ?? { contact: undefined, reason: 'deleted' as const };
      if (reason || !contact?.email) return { reason: reason ?? 'no_address' };
      const planned = plannedIn?.(contact.timezone);
      const due = planned && new Date(planned.getTime() + (sent?.schedule?.delayMs[variant] ?? 0));
      if (due && due > now) return { until: due, reason: 'local_time' };
      const until = quietUntil(quiet_hours, contact.timezone, now);
      if (until) return { until, reason: 'quiet_hours', settings: revision };
      const count = emailed.get(contact_id) ?? 0;
      if (isCapped(frequency_cap, count)) return { reason: frequencyCap };
      // Last, so that the group consists of contacts that would be emailed.
      if (sent?.holdoutPercent && isHeldOut(sent.holdoutPercent, trustedId<'campaign'>(source_id), contact_id)) return { reason: heldOut };
      emailed.set(contact_id, count + 1);
      return { email: contact.email, contact: contactScope(contact) };
    };
  };
}
