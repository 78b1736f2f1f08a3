import { templateId } from '@mp/contracts/ids';
import { z } from 'zod';
import { text } from './step-fields.ts';

export const templateOfCampaigns = templateId.regex(/^template_[0-9a-z]{26}$/, 'expected a template id');

export const wholeWeight = 100;

/** One of several versions of the email of a `send` step. */
const Variant = z
  .strictObject({
    name: text(100).min(1).describe('Names the variant in the log and the analytics; unique in the step.'),
    weight: z.int().min(1).max(wholeWeight).describe('The percentage of contacts that get it.'),
    subject: text(998).min(1).optional().describe('A Liquid template for the subject line. Default: that of the step.'),
    preview_text: z.string().max(500).nullable().optional().describe('A Liquid template. Default: that of the step.'),
    template_id: templateOfCampaigns.optional().describe('Replaces the content of the step.'),
    html: z.string().min(1).max(400_000).optional().describe('Replaces the content of the step; a Liquid template.'),
  })
  .refine(({ template_id, html }) => template_id === undefined || html === undefined, {
    path: ['html'],
    message: 'expected at most one of `html` and `template_id`',
  });
export type Variant = z.output<typeof Variant>;

export const Variants = z
  .array(Variant)
  .min(2)
  .max(5)
  .describe(
    'An A/B test: each contact gets one of these variants, and keeps it while names and weights stay the same, even in later versions of ' +
      `the workflow. Fields that a variant omits are taken from the step. The weights add up to ${wholeWeight}.`,
  );
