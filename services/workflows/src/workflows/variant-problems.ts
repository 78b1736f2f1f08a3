import { asVariant, type Send } from './as-variant.ts';
import type { Problem } from './problem.ts';
import { wholeWeight } from './send-variants.ts';

/** What is wrong between the variants of a step; paths begin at the step. */
export function variantProblems(step: Send): Problem[] {
  const { id, variants } = step;
  if (!variants) return [];
  const sum = variants.reduce((total, { weight }) => total + weight, 0);
  return [
    ...variants.flatMap((variant, index): Problem[] => {
      const at = (field: string, code: string, why: string) => ({
        ...{ path: ['variants', index, field], code },
        message: `The step ${id}: ${why}.`,
      });
      const { template_id, subject } = asVariant(step, variant);
      return [
        ...(variants.findIndex(({ name }) => name === variant.name) < index
          ? [at('name', 'duplicate_variant', `more than one variant has the name ${variant.name}`)]
          : []),
        ...(template_id === undefined && subject === undefined
          ? [at('subject', 'required', `the variant ${variant.name} has no subject, and neither does the step`)]
          : []),
      ];
    }),
    ...(sum === wholeWeight
      ? []
      : [
          {
            ...{ path: ['variants'], code: 'invalid_weights' },
            message: `The step ${id}: the weights of its variants add up to ${sum}, not ${wholeWeight}.`,
          },
        ]),
  ];
}
