import type { Contact, ContactStatus, SuppressionReason } from '@mp/contracts/contact';
import type { AccountContext } from './account-context.ts';

const suppressedStatus: Record<SuppressionReason, ContactStatus> = {
  hard_bounce: 'bounced',
  complaint: 'complained',
  manual: 'suppressed',
};

/** Whether the contact can be emailed. A suppression of the address overrides consent. */
export function statusOf({ email, consent }: Contact, { suppressionOf }: Pick<AccountContext, 'suppressionOf'>): ContactStatus {
  const reason = email === null ? undefined : suppressionOf(email);
  if (reason) return suppressedStatus[reason];
  return consent.email?.status === 'unsubscribed' ? 'unsubscribed' : 'active';
}
