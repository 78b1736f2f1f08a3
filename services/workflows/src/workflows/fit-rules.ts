import { ApiError } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import { attributeKeys, fitRule } from '@mp/rules/fit-rule';
import type { Rule } from '@mp/rules/rule';
import { createAttributeTypes } from '@mp/service-kit/attribute-types';
import type { Broker } from '@mp/service-kit/broker';
import type { Logger } from '@mp/service-kit/logger';
import type { Definition } from './definition.ts';
import type { Occurrence } from './occurrence.ts';
import { rulesIn } from './occurrences-of.ts';
import type { Step } from './step.ts';
import { ruleOf } from './trigger.ts';

export type FitRules = ReturnType<typeof createFitRules>;

const maxDetails = 50;

/**
 * Converts the values in the rules of the trigger, steps and exit conditions to the types of the account's attributes, as segments does. Throws VALIDATION_ERROR
 * for values that can never match. While contacts is unavailable, steps stay as they are.
 */
export function createFitRules(parts: { broker: Pick<Broker, 'request' | 'ready'>; logger: Pick<Logger, 'warn'> }) {
  const typesOf = createAttributeTypes(parts);

  return async function fitRules<Parts extends Pick<Definition, 'trigger' | 'steps' | 'exit_when'>>(
    accountId: AccountId,
    parts: Parts,
  ): Promise<Parts> {
    const rules = rulesIn(parts);
    const types = await typesOf(accountId, [...new Set(rules.flatMap(({ rule }) => attributeKeys(rule)))]);
    const results = rules.map(({ path, rule }) => ({ path, ...fitRule(rule, types) }));
    const details = results.flatMap(({ path: at, misfits }) =>
      misfits.map(({ path, message }) => ({ path: `/${[...at, ...path].join('/')}`, code: 'wrong_type', message })),
    );
    const [first] = details;
    if (first) throw new ApiError('VALIDATION_ERROR', first.message, { details: details.slice(0, maxDetails) });
    const fitted = new Map(rules.map(({ rule }, index) => [rule, results[index]?.rule ?? rule]));
    const fit = (rule: Rule) => fitted.get(rule) ?? rule;
    const fitAll = (any: readonly Occurrence[]) => any.map((one) => (one.type === 'field' ? { ...one, when: fit(one.when) } : one));
    const steps = parts.steps.map((step): Step => {
      if (step.type === 'branch')
        return { ...step, branches: step.branches.map((one) => (one.when ? { ...one, when: fit(one.when) } : one)) };
      return step.type === 'wait_until' || step.type === 'goal' ? { ...step, any: fitAll(step.any) } : step;
    });
    const { trigger } = parts;
    const when = ruleOf(trigger);
    return { ...parts, ...(when && { trigger: { ...trigger, when: fit(when) } }), steps, exit_when: fitAll(parts.exit_when) };
  };
}
