import { Email } from '@mp/contracts/contact';
import { invalid } from '@mp/contracts/errors';
import { Line, Name } from '@mp/contracts/text';
import { z } from 'zod';
import { maxContent } from '../content/templates/content-fields.ts';
import { type AbTest, winnerMetrics } from './ab-test.ts';

const email = z.string().trim().normalize('NFC').pipe(Email);
const part = z.string().max(maxContent).nullable();
const maxMinutes = 30 * 24 * 60;

/** The A/B test as a caller sets it. */
export const AbTestBody = z
  .strictObject({
    variants: z
      .array(
        z.strictObject({
          id: z
            .string()
            .regex(/^[a-z0-9]{1,20}$/)
            .optional()
            .describe('The ID of the variant: lower-case letters and digits; `a`, `b` and so on if omitted.'),
          weight: z.number().int().min(1).max(100).describe('Its share of the sample in percent; the weights add up to 100.'),
          subject: Name(500).nullable().optional().describe("A Liquid template; the campaign's if null."),
          preview_text: Line(250).nullable().optional().describe("A Liquid template; the campaign's if null."),
          from: z
            .strictObject({
              email: email.describe('The address of the sender.'),
              name: Line(200).nullable().optional().describe('The name of the sender.'),
            })
            .nullable()
            .optional()
            .describe("The sender; the campaign's if null."),
          html: part.optional().describe("A Liquid template; the campaign's if null."),
          text: part.optional().describe('A Liquid template; if `html` is set and this is null, generated from it.'),
          delay_minutes: z
            .number()
            .int()
            .min(0)
            .max(maxMinutes)
            .optional()
            .describe('How long after the start of sending its recipients get it; 0 by default.'),
        }),
      )
      .min(2)
      .max(5)
      .describe('The versions of the email.'),
    sample_percent: z
      .number()
      .int()
      .min(1)
      .max(100)
      .describe('The share of the audience that gets a variant before the winner is known; the rest gets the winner.'),
    metric: z
      .enum(winnerMetrics)
      .describe('The metric, per accepted email, that decides the winner: recipients that opened, clicked or converted, or revenue.'),
    currency: z
      .string()
      .toUpperCase()
      .regex(/^[A-Z]{3}$/, 'expected an ISO 4217 code such as EUR')
      .nullable()
      .optional()
      .describe('The ISO 4217 code of the revenue to compare; required for `revenue`. Amounts in other currencies are not compared.'),
    selection: z
      .enum(['automatic', 'manual'])
      .optional()
      .describe('Who selects the winner: the platform after `duration_minutes`, or a request to `/winner`; `automatic` by default.'),
    duration_minutes: z
      .number()
      .int()
      .min(1)
      .max(maxMinutes)
      .optional()
      .describe('How long after the last email of the sample the winner is selected automatically; 240 by default.'),
  })
  .superRefine(({ variants, metric, currency }, context) => {
    if (metric === 'revenue' && !currency)
      context.addIssue({ code: 'custom', path: ['currency'], message: 'metric revenue needs a currency, such as EUR.' });
    if (metric !== 'revenue' && currency)
      context.addIssue({ code: 'custom', path: ['currency'], message: `currency is only for metric revenue; omit it for ${metric}.` });
    const problem = (message: string) => context.addIssue({ code: 'custom', path: ['variants'], message });
    const sum = variants.reduce((total, { weight }) => total + weight, 0);
    if (sum !== 100) problem(`The weights must add up to 100; they add up to ${sum}.`);
    const ids = variants.map(({ id }, index) => id ?? defaultId(index));
    if (new Set(ids).size < ids.length) problem('Two variants have the same ID.');
  });

const defaultId = (index: number) => 'abcde'.charAt(index);

/** The A/B test with its defaults. */
export const abTestOf = (body: z.output<typeof AbTestBody> | null | undefined): AbTest | null =>
  body
    ? {
        variants: body.variants.map(({ id, weight, subject, preview_text, from, html, text, delay_minutes }, index) => ({
          id: id ?? defaultId(index),
          weight,
          subject: subject ?? null,
          preview_text: preview_text || null,
          from: from ? { email: from.email, name: from.name || null } : null,
          html: html || null,
          text: text || null,
          delay_minutes: delay_minutes ?? 0,
        })),
        sample_percent: body.sample_percent,
        ...{ metric: body.metric, currency: body.currency ?? null },
        selection: body.selection ?? 'automatic',
        duration_minutes: body.duration_minutes ?? 240,
      }
    : null;

/** Throws VALIDATION_ERROR if the winner would be selected by something that is not tracked. */
export function requireTracking(abTest: AbTest | null, track: { opens: boolean; clicks: boolean }) {
  if (!abTest) return;
  const needed = abTest.metric === 'opens' ? 'opens' : 'clicks';
  if (track[needed]) return;
  throw invalid(
    '/ab_test/metric',
    'not_tracked',
    `The winner cannot be selected by ${abTest.metric}, because the campaign does not track ${needed}; set track.${needed} to true.`,
  );
}
