import type { CampaignId, ContactId } from '@mp/ids';
import { shareOf } from './variant-assignment.ts';

/** Whether the contact is in the hold-out group. Independent of its variant, so that every variant has the same share. */
export const isHeldOut = (percent: number, campaignId: CampaignId, contactId: ContactId) =>
  shareOf(campaignId, contactId, 'holdout ') * 100 < percent;
