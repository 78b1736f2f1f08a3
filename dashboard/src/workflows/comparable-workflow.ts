import type { NameOf } from '../names/names.ts';
import type { Definition } from './definition.ts';
import { entryLabels, occurrenceLabel, ruleLine, stepName } from './step-labels.ts';
import { triggerLabel } from './trigger-labels.ts';
import type { WorkflowStep } from './workflows.ts';

type Draft = { name: string; description: string; definition: Definition };

/** A workflow as two versions of it are compared: its steps by their names, and conditions in words. */
export function comparableWorkflow({ name, description, definition }: Draft, named: NameOf): object {
  const { trigger, steps, entry, exit_when, ...rules } = definition;
  const labels = labelsOf(steps);
  /** Steps and resources are named, whatever field refers to them. */
  const say = (id: string) => labels.get(id) ?? named(id);
  return {
    ...{ name, description },
    trigger: triggerLabel(trigger, named),
    trigger_settings: inWords({ ...trigger, ...{ type: null, cron: null, timezone: null, when: null } }, named),
    ...(entry && { entry: { ...entry, policy: entryLabels[entry.policy] } }),
    ...(exit_when && { exit_when: exit_when.map((one) => occurrenceLabel(one, named)) }),
    ...rules,
    steps: Object.fromEntries(
      steps.map((step) => [labels.get(step.id) ?? step.id, inWords({ ...step, id: null, type: null, name: null }, say)]),
    ),
  };
}

/** The names of steps by ID; steps with the same name are numbered. */
function labelsOf(steps: readonly WorkflowStep[]): Map<string, string> {
  const seen = new Map<string, number>();
  return new Map(
    steps.map((step) => {
      const name = stepName(step);
      const number = (seen.get(name) ?? 0) + 1;
      seen.set(name, number);
      return [step.id, number === 1 ? name : `${name} ${number}`];
    }),
  );
}

/** The fields that refer to a step or a resource. */
const isReference = (field: string) => field.endsWith('_id') || ['to', 'next', 'else', 'on_timeout'].includes(field);

/** The members of a part, with what needs words in words. */
function inWords(part: object, named: NameOf): object {
  return Object.fromEntries(
    Object.entries(part).map(([field, value]: [string, unknown]) => {
      if (field === 'when' && isRule(value)) return [field, ruleLine(value, named)];
      if (field === 'any' && Array.isArray(value)) return ['ends_when', value.map((one) => occurrenceLabel(one, named))];
      if (isReference(field) && typeof value === 'string') return [field, named(value)];
      if (['branches', 'paths', 'variants'].includes(field) && Array.isArray(value))
        return [field, value.map((part) => inWords(part, named))];
      return [field, value];
    }),
  );
}

const isRule = (value: unknown): value is Parameters<typeof ruleLine>[0] => typeof value === 'object' && value !== null;
