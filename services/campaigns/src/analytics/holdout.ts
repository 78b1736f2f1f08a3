import { z } from 'zod';
import { significanceOf } from '../ab-tests/significance.ts';
import type { Conversion } from '../campaigns/campaign.ts';
import type { Breakdown } from '../ledger/counters/counters-store.ts';
import { Revenue } from '../ledger/revenue.ts';
import { revenueIn } from './counts-and-rates.ts';

const count = z.number().int();

const Group = z.object({
  recipients: count.describe('Contacts in the group.'),
  converted: count.describe('Contacts with a conversion.'),
  conversions: count.describe('Conversions.'),
  revenue: Revenue,
  conversion_rate: z.number().nullable().describe('Converted ÷ recipients; null if the group is empty.'),
});

/** How the contacts that were emailed compare with those that were held out. */
export const Holdout = z
  .object({
    percent: count.describe('The share of the audience that is held out, in percent.'),
    window_days: count.describe('Events within this many days count.'),
    emailed: Group.describe('Contacts to which the email was sent, delivered or not.'),
    held_out: Group.describe('Contacts that would have been emailed and were held out.'),
    lift: z
      .number()
      .nullable()
      .describe(
        'The lift: how much higher the conversion rate of the emailed contacts is, relative to the rate of the held-out contacts. 0.2 is 20%. Null if no held-out contact converted.',
      ),
    significance: z
      .enum(['significant', 'not_significant', 'not_enough_data'])
      .nullable()
      .describe('Whether the difference between the rates is statistically significant (two-proportion z-test, 5%).'),
    p_value: z
      .number()
      .nullable()
      .describe('The p-value, the probability of such a difference by chance; null if there is not enough data.'),
  })
  .meta({ id: 'CampaignHoldout' });
export type Holdout = z.output<typeof Holdout>;

export function holdoutOf(percent: number, { window_days }: Conversion, groups: readonly Breakdown[]): Holdout {
  const group = (name: 'emailed' | 'held_out') => {
    const counts = groups.find(({ key }) => key === name)?.counts ?? {};
    const { recipients = 0, converted = 0, conversions = 0 } = counts;
    const conversion_rate = recipients === 0 ? null : converted / recipients;
    return { recipients, converted, conversions, revenue: revenueIn(counts), conversion_rate };
  };
  const [emailed, held_out] = [group('emailed'), group('held_out')];
  const trial = ({ recipients, converted }: typeof emailed) => ({ accepted: recipients, successes: converted });
  return {
    ...{ percent, window_days, emailed, held_out },
    lift: emailed.conversion_rate === null || !held_out.conversion_rate ? null : emailed.conversion_rate / held_out.conversion_rate - 1,
    ...significanceOf(trial(emailed), trial(held_out)),
  };
}
