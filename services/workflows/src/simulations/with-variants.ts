import { invalid } from '@mp/contracts/errors';
import type { Definition } from '../workflows/definition.ts';

/** The definition in which these steps send only the variant of this name. Throws VALIDATION_ERROR if there is none. */
export function withVariants(definition: Definition, chosen: Readonly<Record<string, string>>): Definition {
  const steps = definition.steps.map((step) => {
    const name = Object.hasOwn(chosen, step.id) ? chosen[step.id] : undefined;
    if (name === undefined) return step;
    const variants = step.type === 'send' ? step.variants?.filter((variant) => variant.name === name) : undefined;
    if (!variants?.length) throw invalid(`/variants/${step.id}`, 'unknown_variant', `The step ${step.id} has no variant ${name}.`);
    return { ...step, variants };
  });
  return { ...definition, steps };
}
