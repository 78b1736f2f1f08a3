import type { Contact } from '@mp/contracts/contact';

/** Why a person of the audience gets nothing. */
export const skipReasons = [
  'no_address',
  'unsubscribed',
  'pending_opt_in',
  'suppressed',
  'bounced_before',
  'excluded',
  'deleted',
  'template_error',
  'cancelled',
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** What we saw ourselves and need not wait to hear back: an unsubscription, and addresses that bounced for good. */
export type Suppressions = { unsubscribedAt: Date | undefined; bounced: boolean };

/** Why this contact may not be mailed now, or undefined when it may. Undefined contact: it does not exist any more. */
export function reasonNotToMail(contact: Contact | undefined, { unsubscribedAt, bounced }: Suppressions): SkipReason | undefined {
  if (!contact) return 'deleted';
  if (!contact.email) return 'no_address';
  if (contact.status === 'bounced' || bounced) return 'bounced_before';
  if (contact.status === 'complained' || contact.status === 'suppressed') return 'suppressed';
  const consent = contact.consent.email;
  if (consent?.status === 'unsubscribed') return 'unsubscribed';
  if (consent?.status !== 'subscribed') return 'pending_opt_in';
  return unsubscribedAt && unsubscribedAt >= new Date(consent.at) ? 'unsubscribed' : undefined;
}
