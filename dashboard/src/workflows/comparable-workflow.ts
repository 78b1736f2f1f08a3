import type { Definition } from './definition.ts';
import { entryLabels, occurrenceLabel, ruleLine, stepName, triggerLabel } from './step-labels.ts';
import type { WorkflowStep } from './workflows.ts';

type Named = (id: string) => string;
type Draft = { name: string; description: string; definition: Definition };

/** A workflow as two versions of it are compared: its steps by their names, and conditions in words. */
export function comparableWorkflow({ name, description, definition }: Draft, named: Named): object {
  const { trigger, steps, entry, exit_when, ...rules } = definition;
  const names = steps.map(stepName);
  const labelOf = (step: WorkflowStep, at: number) =>
    names.indexOf(stepName(step)) === at ? stepName(step) : `${stepName(step)} (${step.id})`;
  return {
    ...{ name, description },
    trigger: triggerLabel(trigger, named),
    trigger_settings: inWords({ ...trigger, ...{ type: null, cron: null, timezone: null, when: null } }, named),
    ...(entry && { entry: { ...entry, policy: entryLabels[entry.policy] } }),
    ...(exit_when && { exit_when: exit_when.map((one) => occurrenceLabel(one, named)) }),
    ...rules,
    steps: Object.fromEntries(steps.map((step, at) => [labelOf(step, at), inWords({ ...step, id: null, type: null, name: null }, named)])),
  };
}

/** The members of a part, with what needs words in words. */
function inWords(part: object, named: Named): object {
  return Object.fromEntries(
    Object.entries(part).map(([field, value]: [string, unknown]) => {
      if (field === 'when' && isRule(value)) return [field, ruleLine(value, named)];
      if (field === 'any' && Array.isArray(value)) return ['ends_when', value.map((one) => occurrenceLabel(one, named))];
      if (field === 'branches' && Array.isArray(value)) return [field, value.map((branch) => inWords(branch, named))];
      return [field, value];
    }),
  );
}

const isRule = (value: unknown): value is Parameters<typeof ruleLine>[0] => typeof value === 'object' && value !== null;
