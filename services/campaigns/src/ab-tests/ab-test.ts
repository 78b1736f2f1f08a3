import { Email } from '@mp/contracts/contact';
import { z } from 'zod';

export const winnerMetrics = ['opens', 'clicks', 'conversions', 'revenue'] as const;
export type WinnerMetric = (typeof winnerMetrics)[number];

/** One version of the email. What is null is the campaign's. */
export const Variant = z.object({
  id: z.string().describe('The ID of the variant, `a` to `e` by default.'),
  weight: z.number().int().describe('Its share of the sample in percent.'),
  subject: z.string().nullable().describe('A Liquid template.'),
  preview_text: z.string().nullable().describe('A Liquid template.'),
  from: z
    .object({ email: Email.describe('The address of the sender.'), name: z.string().nullable().describe('The name of the sender.') })
    .nullable()
    .describe('The sender.'),
  html: z.string().nullable().describe('A Liquid template.'),
  text: z.string().nullable().describe('A Liquid template; if `html` is set and this is null, generated from it.'),
  delay_minutes: z.number().int().describe('How long after the start of sending its recipients get it.'),
});
export type Variant = z.infer<typeof Variant>;

/** The A/B test of a campaign as the API returns it. */
export const AbTest = z
  .object({
    variants: z.array(Variant).describe('The versions of the email.'),
    sample_percent: z.number().int().describe('The share of the audience that gets a variant before the winner is known, in percent.'),
    metric: z
      .enum(winnerMetrics)
      .describe('The metric, per accepted email, that decides the winner. Automated opens and clicks do not count.'),
    currency: z.string().nullable().describe('The currency of the revenue that is compared; null for other metrics.'),
    selection: z.enum(['automatic', 'manual']).describe('Who selects the winner: the platform after `duration_minutes`, or a request.'),
    duration_minutes: z.number().int().describe('How long after the last email of the sample the winner is selected automatically.'),
  })
  .meta({ id: 'CampaignAbTest' });
export type AbTest = z.infer<typeof AbTest>;

const significance = z.enum(['significant', 'not_significant', 'not_enough_data']).nullable();

/** How far the A/B test of a sent campaign is. */
export const AbResult = z
  .object({
    sample_sent_at: z.iso.datetime().nullable().describe('When the last email of the sample was sent.'),
    decides_at: z.iso.datetime().nullable().describe('When the winner is selected automatically.'),
    winner: z.string().nullable().describe('The variant that the rest of the audience gets.'),
    selected_at: z.iso.datetime().nullable().describe('When the winner was selected.'),
    selected_by: z.enum(['metric', 'request']).nullable().describe('What selected it.'),
    significance: significance.describe(
      'Whether the winner had a higher rate than every other variant, and each of these differences was statistically significant at the time of the selection (5%, two-proportion z-tests, with the Holm–Bonferroni correction for all pairs of variants); null for revenue, which is not tested, and without a winner.',
    ),
    p_value: z
      .number()
      .nullable()
      .describe(
        'The largest p-value of these differences, corrected; null if there was not enough data, if another variant had a higher rate, and for revenue.',
      ),
    variants: z
      .array(
        z.object({
          id: z.string().describe('The variant.'),
          accepted: z.number().int().describe('Emails accepted by the mail server.'),
          successes: z.number().int().describe('Recipients that opened, clicked or converted.'),
          revenue: z.number().nullable().describe('The revenue in `currency`; null for other metrics.'),
          significance: significance.describe(
            'Whether its difference from the winner, in either direction, was statistically significant; null for the winner itself, and for revenue.',
          ),
          p_value: z
            .number()
            .nullable()
            .describe('The corrected p-value, the probability of such a difference by chance; null if there was not enough data.'),
        }),
      )
      .describe('The numbers at the time of the selection.'),
  })
  .meta({ id: 'CampaignAbResult' });
export type AbResult = z.infer<typeof AbResult>;

/** What one variant achieved. */
export type Trial = Omit<AbResult['variants'][number], 'significance' | 'p_value'>;

/** What is stored; how significant it is follows from it. */
export type StoredAbResult = Omit<AbResult, 'significance' | 'p_value' | 'variants'> & { variants: Trial[] };

export const noResult: StoredAbResult = {
  ...{ sample_sent_at: null, decides_at: null, winner: null, selected_at: null },
  ...{ selected_by: null, variants: [] },
};

type Content = { subject: string; preview_text: string | null; from: Variant['from'] & object; html: string; text: string | null };

/** The campaign with the content of one of its variants, or as it is if it has no such variant. */
export function asVariant<C extends Content & { ab_test?: AbTest | null | undefined }>(campaign: C, id: string | undefined): C {
  const variant = campaign.ab_test?.variants.find((one) => one.id === id);
  if (!variant) return campaign;
  const { subject, preview_text, from, html, text } = variant;
  return {
    ...campaign,
    subject: subject ?? campaign.subject,
    preview_text: preview_text ?? campaign.preview_text,
    from: from ?? campaign.from,
    ...(html !== null ? { html, text } : text !== null && { text }),
  };
}

/** The email as each recipient of the campaign may get it: as it is, and by variant. `path` leads to the variant in the request. */
export const everyVersion = <C extends Content & { ab_test?: AbTest | null | undefined }>(campaign: C): { path: string; version: C }[] => [
  { path: '', version: campaign },
  ...(campaign.ab_test?.variants ?? []).map(({ id }, index) => ({ path: `/ab_test/variants/${index}`, version: asVariant(campaign, id) })),
];

/** The addresses that a campaign is sent from: its own, and those of its variants. */
export const sendersOf = (campaign: Parameters<typeof everyVersion>[0]) => [
  ...new Set(everyVersion(campaign).map(({ version }) => version.from.email)),
];
