import type { CampaignCounts } from '@marketing-platform/sdk';

type Counts = Pick<CampaignCounts, 'accepted' | 'attempted' | 'sent'>;

/**
 * What counts as delivered: every accepted email, which excludes bounces, including those of emails that were accepted first. Most mail
 * servers confirm nothing, so `unconfirmed` is the usual state of the first day and not a loss.
 */
export const deliveredOf = ({ accepted, attempted, sent }: Counts) => ({
  delivered: accepted,
  rate: attempted === 0 ? null : accepted / attempted,
  unconfirmed: sent,
});
