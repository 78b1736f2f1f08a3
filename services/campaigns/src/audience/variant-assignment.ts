import { createHash } from 'node:crypto';
import type { CampaignId, ContactId } from '@mp/ids';
import type { AbTest } from '../ab-tests/ab-test.ts';

/** What a contact gets before the winner is known: a variant, or nothing yet. */
export type Assignment = { variant: string; delayMinutes: number } | 'rest';

/** A number from 0 to below 1 that is always the same for this contact, campaign and purpose, and evenly distributed. */
export function shareOf(campaignId: CampaignId, contactId: ContactId, purpose = ''): number {
  return createHash('sha256').update(`${purpose}${campaignId} ${contactId}`).digest().readUIntBE(0, 6) / 2 ** 48;
}

/** Deterministic, so that a freeze that is resumed assigns the same variants. */
export function assignmentOf({ variants, sample_percent }: AbTest, campaignId: CampaignId, contactId: ContactId): Assignment {
  let share = (shareOf(campaignId, contactId) * 10_000) / sample_percent;
  if (share >= 100) return 'rest';
  for (const { id, weight, delay_minutes } of variants) {
    share -= weight;
    if (share < 0) return { variant: id, delayMinutes: delay_minutes };
  }
  return 'rest';
}
