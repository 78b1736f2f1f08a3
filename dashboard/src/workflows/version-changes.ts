import { isEqual } from '../json/is-equal.ts';
import { stepName } from './step-words.ts';
import type { Definition } from './workflow-json.ts';

/** The changes from the previous version, in words. */
export function changesOf(version: Definition, before: Definition): string[] {
  const stepsBefore = new Map(before.steps.map((step) => [step.id, step]));
  const steps = new Map(version.steps.map((step) => [step.id, step]));
  const added = version.steps.filter(({ id }) => !stepsBefore.has(id));
  const removed = before.steps.filter(({ id }) => !steps.has(id));
  const changed = version.steps.filter((step) => {
    const old = stepsBefore.get(step.id);
    return old !== undefined && !isEqual(old, step);
  });
  const first = version.steps[0]?.id;
  return [
    ...(isEqual(version.trigger, before.trigger) ? [] : ['Changed trigger']),
    ...(isEqual(version.entry, before.entry) ? [] : ['Changed entry policy']),
    ...(version.on_error === before.on_error ? [] : [version.on_error === 'exit' ? 'Exits after an error' : 'Continues after an error']),
    ...added.map((step) => `Added step “${stepName(step)}”`),
    ...changed.map((step) => `Changed step “${stepName(step)}”`),
    ...removed.map((step) => `Removed step “${stepName(step)}”`),
    ...(first !== undefined && first !== before.steps[0]?.id && stepsBefore.has(first) ? ['Changed first step'] : []),
  ];
}
