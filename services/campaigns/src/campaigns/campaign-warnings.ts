import type { AccountId } from '@mp/ids';
import { z } from 'zod';
import { everyVersion, sendersOf } from '../ab-tests/ab-test.ts';
import type { FindContentWarnings } from '../content/templates/content-warnings.ts';
import type { FindFault } from '../delivery/senders/require-sender.ts';
import type { Campaign } from './campaign.ts';

export const CampaignWarning = z
  .object({
    code: z
      .enum(['unverified_domain', 'unknown_attribute', 'coupon_codes_low', 'coupon_expired', 'old_consent'])
      .describe(
        '`unverified_domain`: the emails are not signed, and mailboxes may reject them. `unknown_attribute`: the email reads an attribute that no contact has ever had, and will be blank there. `coupon_codes_low`: the coupon of the email has fewer codes than the campaign has recipients. `coupon_expired`: it hands out no more codes. `old_consent`: recipients gave consent more than a year ago and got no marketing email from the account since.',
      ),
    message: z.string().describe('What is wrong, and what to do about it.'),
  })
  .meta({ id: 'CampaignWarning' });
export type CampaignWarning = z.output<typeof CampaignWarning>;

export const warnings = z.array(CampaignWarning).describe('Problems that do not prevent sending.');

export type FindWarnings = ReturnType<typeof createFindWarnings>;

/** The warnings about a campaign with the content of its template. */
export const createFindWarnings =
  (findUnverified: FindFault, findContentWarnings: FindContentWarnings) =>
  async (accountId: AccountId, campaign: Campaign): Promise<CampaignWarning[]> => {
    const faults = await Promise.all(sendersOf(campaign).map((from) => findUnverified(accountId, from)));
    const ofContent = await findContentWarnings(
      accountId,
      everyVersion(campaign).map(({ version }) => version),
    );
    return [
      ...[...new Set(faults)].flatMap((message): CampaignWarning[] =>
        message === undefined ? [] : [{ code: 'unverified_domain', message }],
      ),
      ...ofContent,
    ];
  };
