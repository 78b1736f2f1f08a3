import type { Contact } from '@mp/contracts/contact';
import { findContacts } from '@mp/contracts/requests/find-contacts';
import type { AccountId, ContactId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { SkipReason } from '../../ledger/recipients/recipient.ts';
import { reasonNotToMail } from './contactable.ts';
import type { ContactablesStore } from './contactables-store.ts';
import type { SuppressionsStore } from './suppressions-store.ts';

export type Verdict = { contact: Contact | undefined; reason: SkipReason | undefined };

export type FindMailable = ReturnType<typeof createFindMailable>;

/**
 * Decides for each of these contacts whether it may be emailed now, and if not, why. Contacts missing from the projection
 * are requested from the contacts service; throws SERVICE_UNAVAILABLE if it does not reply, rather than guess.
 */
export function createFindMailable({
  contactables,
  suppressions,
  broker,
}: {
  contactables: ContactablesStore;
  suppressions: SuppressionsStore;
  broker: Pick<Broker, 'request'>;
}) {
  return async (
    accountId: AccountId,
    contactIds: readonly ContactId[],
    { keep = true, topic }: { keep?: boolean; topic?: string | null | undefined } = {},
  ): Promise<Map<ContactId, Verdict>> => {
    const known = await contactables.find(accountId, contactIds);
    const missing = contactIds.filter((id) => !known.has(id));
    await findContacts(broker.request, { account_id: accountId, ids: missing }, async (contacts) => {
      for (const contact of contacts) known.set(contact.id, contact);
      if (keep) await contactables.keep(accountId, contacts);
    });
    const emails = contactIds.flatMap((id) => known.get(id)?.email ?? []);
    const suppressed = await suppressions.find(accountId, contactIds, emails, topic);
    return new Map(
      contactIds.map((id) => {
        const contact = known.get(id) ?? undefined;
        return [id, { contact, reason: reasonNotToMail(contact, suppressed.of(id, contact?.email ?? null), topic) }];
      }),
    );
  };
}
