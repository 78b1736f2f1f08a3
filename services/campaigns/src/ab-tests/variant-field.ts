import { invalid } from '@mp/contracts/errors';
import { z } from 'zod';
import type { Campaign } from '../campaigns/campaign.ts';
import { asVariant } from './ab-test.ts';

/** Which variant a preview or a test shows. */
export const variantField = z.string().max(20).optional().describe("The variant of the campaign's A/B test; without variants if omitted.");

/** The campaign with the content of this variant. Throws VALIDATION_ERROR if it has no such variant. */
export function variantOf(campaign: Campaign, variant: string | undefined): Campaign {
  const ids = campaign.ab_test?.variants.map(({ id }) => id) ?? [];
  if (variant !== undefined && !ids.includes(variant)) {
    const known = ids.length === 0 ? 'The campaign has no A/B test; omit variant.' : `The variants are ${ids.join(', ')}.`;
    throw invalid('/variant', 'unknown_variant', known);
  }
  return asVariant(campaign, variant);
}
