import { asVariant } from '../workflows/as-variant.ts';
import type { Step } from '../workflows/step.ts';
import type { Run } from './run.ts';
import { weightedChoice } from './weighted-choice.ts';

type Send = Step & { type: 'send' };
type Of = Pick<Run, 'workflow_id' | 'contact_id'>;

/**
 * The variant of the email that a contact gets, with the step as it is then: the same in all versions of a workflow, while names and
 * weights stay the same. `taken` is the variant of an email that was requested before.
 */
export function variantOf(step: Send, { workflow_id, contact_id }: Of, taken?: string): { step: Send; variant?: string } {
  const { variants } = step;
  if (!variants) return { step };
  const weights = variants.map(({ weight }) => weight);
  const drawn = variants[weightedChoice(['variant', workflow_id, step.id, contact_id], weights)];
  const variant = variants.find(({ name }) => name === taken) ?? drawn;
  return variant ? { step: asVariant(step, variant), variant: variant.name } : { step };
}
