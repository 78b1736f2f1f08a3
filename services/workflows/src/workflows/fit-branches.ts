import { ApiError } from '@mp/contracts/errors';
import { attributeKeys, fitRule } from '@mp/rules/fit-rule';
import { createAttributeTypes } from '@mp/service-kit/attribute-types';
import type { Broker } from '@mp/service-kit/broker';
import type { Logger } from '@mp/service-kit/logger';
import type { Step } from './step.ts';

export type FitBranches = ReturnType<typeof createFitBranches>;

const maxDetails = 50;

/**
 * Converts the values in branch rules to the types of the account's attributes, as segments does. Throws VALIDATION_ERROR
 * for values that can never match. While contacts is unavailable, steps stay as they are.
 */
export function createFitBranches(parts: { broker: Pick<Broker, 'ask' | 'ready'>; logger: Pick<Logger, 'warn'> }) {
  const typesOf = createAttributeTypes(parts);

  return async function fitBranches(accountId: string, steps: readonly Step[]): Promise<Step[]> {
    const rules = steps.flatMap((step) => (step.type === 'branch' ? step.branches.map(({ when }) => when) : []));
    const types = await typesOf(accountId, [...new Set(rules.flatMap(attributeKeys))]);
    const details: { path: string; code: string; message: string }[] = [];
    const fitted = steps.map((step, index): Step => {
      if (step.type !== 'branch') return step;
      const branches = step.branches.map((branch, number) => {
        const { rule, misfits } = fitRule(branch.when, types);
        for (const { path, message } of misfits)
          details.push({ path: `/steps/${[index, 'branches', number, 'when', ...path].join('/')}`, code: 'wrong_type', message });
        return { ...branch, when: rule };
      });
      return { ...step, branches };
    });
    const [first] = details;
    if (first) throw new ApiError('VALIDATION_ERROR', first.message, { details: details.slice(0, maxDetails) });
    return fitted;
  };
}
