import { emailKey } from '@mp/contracts/contact';
import { ContactsSuppressed, maxFound } from '@mp/contracts/requests/contacts';
import type { AccountId, RecipientId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import { contactScope } from '@mp/templates/fields';
import type { FindMailable } from '../audience/contactables/mailable-contacts.ts';
import type { SuppressionsStore } from '../audience/contactables/suppressions-store.ts';
import type { SkipReason } from '../ledger/recipients/recipient.ts';
import { noContact, type RecipientDocument } from '../ledger/recipients/recipient-row.ts';

type Row = Pick<RecipientDocument, '_id' | 'contact_id' | 'to' | 'category'>;

/** Where a message goes and what its templates read, or why it is not sent. */
export type MessageRecipient = { email: string; contact: object } | { reason: SkipReason };

export type FindMessageRecipients = ReturnType<typeof createFindMessageRecipients>;

type Deps = { findMailable: FindMailable; suppressions: SuppressionsStore; broker: Pick<Broker, 'request'> };

/** The reasons that concern consent, which transactional messages and tests do not need. */
const ofConsent: readonly (SkipReason | undefined)[] = ['unsubscribed', 'pending_opt_in'];

/**
 * Decides for messages of one account whether they may be sent now. Suppressions hold for every category. Throws
 * SERVICE_UNAVAILABLE if the contacts service does not reply, rather than guess.
 */
export function createFindMessageRecipients({ findMailable, suppressions, broker }: Deps) {
  /** Why these addresses must not be emailed, whether or not a contact has them. */
  async function suppressedAddresses(accountId: AccountId, emails: readonly string[]): Promise<(email: string) => SkipReason | undefined> {
    const reasons = new Map<string, SkipReason>();
    for (let done = 0; done < emails.length; done += maxFound) {
      const { suppressed } = await broker.request(ContactsSuppressed, {
        account_id: accountId,
        emails: emails.slice(done, done + maxFound),
      });
      for (const { email, reason } of suppressed) reasons.set(emailKey(email), reason === 'hard_bounce' ? 'bounced_before' : 'suppressed');
    }
    const own = await suppressions.find(accountId, [], emails);
    return (email) => {
      const { bounced, complained } = own.of(noContact, email);
      return reasons.get(emailKey(email)) ?? (bounced ? 'bounced_before' : complained ? 'suppressed' : undefined);
    };
  }

  return async (accountId: AccountId, rows: readonly Row[]): Promise<Map<RecipientId, MessageRecipient>> => {
    const emails = rows.flatMap(({ to }) => to ?? []);
    const [verdicts, suppressed] = await Promise.all([
      findMailable(accountId, [...new Set(rows.flatMap(({ contact_id }) => contact_id || []))]),
      suppressedAddresses(accountId, [...new Set(emails)]),
    ]);
    const decide = ({ contact_id, to, category }: Row): MessageRecipient => {
      const { contact, reason } = verdicts.get(contact_id) ?? { contact: undefined, reason: undefined };
      const needsConsent = category === 'marketing';
      if (to !== undefined) {
        const refused = suppressed(to) ?? (needsConsent ? (contact ? reason : 'pending_opt_in') : undefined);
        return refused ? { reason: refused } : { email: to, contact: contact ? contactScope(contact) : withoutFields(to, category) };
      }
      if (!contact) return { reason: 'deleted' };
      const refused = !needsConsent && ofConsent.includes(reason) ? undefined : reason;
      return refused || !contact.email ? { reason: refused ?? 'no_address' } : { email: contact.email, contact: contactScope(contact) };
    };
    return new Map(rows.map((row) => [row._id, decide(row)]));
  };
}

/** The fields of an address that no contact has. A test without a contact is rendered with empty fields. */
const withoutFields = (email: string, category: Row['category']) => ({
  ...(category === 'test' ? {} : { email }),
  ...{ tags: [], address: {}, attributes: {} },
});
