import type { Principal } from '@mp/service-kit/create-server';
import { requireWithinLimits } from '@mp/service-kit/sending-limits';
import { type Form, whyNotConfirming } from './form.ts';
import { unitsOf } from './opt-ins-store.ts';

/** Throws FORBIDDEN if the form sends confirmation emails that the role of the caller may not send. */
export function requireSendPermission(principal: Principal, form: Form) {
  if (whyNotConfirming({ ...form, status: 'active' }) !== undefined) return;
  for (const { channel, topic } of unitsOf(form.consents)) {
    if (channel === 'email') requireWithinLimits(principal, { topic, sender: form.sender?.email ?? '' });
  }
}
