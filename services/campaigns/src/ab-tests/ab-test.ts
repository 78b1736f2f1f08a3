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

/** How far the A/B test of a sent campaign is. */
export const AbResult = z
  .object({
    sample_sent_at: z.iso.datetime().nullable().describe('When the last email of the sample was sent.'),
    decides_at: z.iso.datetime().nullable().describe('When the winner is selected automatically.'),
    winner: z.string().nullable().describe('The variant that the rest of the audience gets.'),
    selected_at: z.iso.datetime().nullable().describe('When the winner was selected.'),
    selected_by: z.enum(['metric', 'request']).nullable().describe('What selected it.'),
    significance: z
      .enum(['significant', 'not_significant', 'not_enough_data'])
      .nullable()
      .describe(
        'Whether the difference between the best two variants was statistically significant at the time of the selection (two-proportion z-test, 5%); null for revenue, which is not tested.',
      ),
    p_value: z
      .number()
      .nullable()
      .describe('The p-value, the probability of such a difference by chance; null if there was not enough data, and for revenue.'),
    variants: z
      .array(
        z.object({
          id: z.string().describe('The variant.'),
          accepted: z.number().int().describe('Emails accepted by the mail server.'),
          successes: z.number().int().describe('Recipients that opened, clicked or converted.'),
          revenue: z.number().nullable().describe('The revenue in `currency`; null for other metrics.'),
        }),
      )
      .describe('The numbers at the time of the selection.'),
  })
  .meta({ id: 'CampaignAbResult' });
export type AbResult = z.infer<typeof AbResult>;

export const noResult: AbResult = {
  ...{ sample_sent_at: null, decides_at: null, winner: null, selected_at: null },
  ...{ selected_by: null, significance: null, p_value: null, variants: [] },
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
