import type { WorkflowStep } from '../workflows.ts';

type SendStep = WorkflowStep & { type: 'send' };

/** The email that a step sent, by the entry of the log that says so: with variants, what the variant has of its own replaces that of the step. */
export function sentVariant({ variants = [], ...step }: SendStep, text: string): SendStep & { variant?: string } {
  const sent = variants.find(({ name }) => text.endsWith(`the variant "${name}" was sent.`));
  if (!sent) return step;
  const { name: variant, weight: _, html, template_id, ...own } = sent;
  if (html === undefined && template_id === undefined) return { ...step, ...own, variant };
  const { html: _html, template_id: _template, text: _text, ...rest } = step;
  return { ...rest, ...own, ...(html !== undefined && { html }), ...(template_id !== undefined && { template_id }), variant };
}
