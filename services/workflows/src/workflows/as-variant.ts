import type { Variant } from './send-variants.ts';
import type { Step } from './step.ts';

export type Send = Step & { type: 'send' };

/** The step as a variant sends it. */
export function asVariant({ variants: _, ...step }: Send, { name: __, weight: ___, html, template_id, ...own }: Variant): Send {
  if (html === undefined && template_id === undefined) return { ...step, ...own };
  const { html: ____, template_id: _____, text: ______, ...rest } = step;
  return { ...rest, ...own, ...(html !== undefined && { html }), ...(template_id !== undefined && { template_id }) };
}
