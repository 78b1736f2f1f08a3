import type { Principal } from '@mp/service-kit/create-server';
import { requireWithinLimits } from '@mp/service-kit/sending-limits';
import { sendersOf } from '../ab-tests/ab-test.ts';
import type { Campaign } from './campaign.ts';

/** Throws FORBIDDEN if the role of the caller may not send the campaign, or one of its variants. */
export function requireSendPermission(principal: Principal, campaign: Campaign) {
  for (const sender of sendersOf(campaign)) requireWithinLimits(principal, { topic: campaign.topic, sender });
}
