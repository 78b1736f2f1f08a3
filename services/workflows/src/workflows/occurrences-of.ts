import type { Rule } from '@mp/rules/rule';
import type { Definition } from './definition.ts';
import type { Occurrence } from './occurrence.ts';
import { ruleOf } from './trigger.ts';

type Parts = Pick<Definition, 'steps' | 'exit_when'>;

/** Every occurrence that a definition names, with its path. */
export const occurrencesOf = ({ steps, exit_when }: Parts): { path: (string | number)[]; occurrence: Occurrence }[] => [
  ...exit_when.map((occurrence, index) => ({ path: ['exit_when', index], occurrence })),
  ...steps.flatMap((step, index) =>
    step.type === 'wait_until' || step.type === 'goal'
      ? step.any.map((occurrence, number) => ({ path: ['steps', index, 'any', number], occurrence }))
      : [],
  ),
];

/** Every rule that a definition contains, with its path. */
export const rulesIn = (definition: Parts & Pick<Definition, 'trigger'>): { path: (string | number)[]; rule: Rule }[] => [
  ...[ruleOf(definition.trigger)].flatMap((rule) => (rule ? [{ path: ['trigger', 'when'], rule }] : [])),
  ...definition.steps.flatMap((step, index) =>
    step.type === 'branch'
      ? step.branches.flatMap(({ when }, number) => (when ? [{ path: ['steps', index, 'branches', number, 'when'], rule: when }] : []))
      : [],
  ),
  ...occurrencesOf(definition).flatMap(({ path, occurrence }) =>
    occurrence.type === 'field' ? [{ path: [...path, 'when'], rule: occurrence.when }] : [],
  ),
];
