import { isEqual } from '../json/is-equal.ts';
import type { Mark } from './canvas/card-node.tsx';
import type { Definition } from './definition.ts';
import { stepName } from './step-labels.ts';

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
    ...(isEqual(version.exit_when, before.exit_when) ? [] : ['Changed exit conditions']),
    ...(isEqual(version.quiet_hours, before.quiet_hours) ? [] : ['Changed quiet hours']),
    ...(version.max_concurrent === before.max_concurrent ? [] : ['Changed the limit of open runs']),
    ...(version.priority === before.priority ? [] : ['Changed priority']),
    ...added.map((step) => `Added step “${stepName(step)}”`),
    ...changed.map((step) => `Changed step “${stepName(step)}”`),
    ...removed.map((step) => `Removed step “${stepName(step)}”`),
    ...(first !== undefined && first !== before.steps[0]?.id && stepsBefore.has(first) ? ['Changed first step'] : []),
  ];
}

type Steps = Pick<Definition, 'steps'>;

/** What happened to each step, by its ID: marks for the earlier version and for the later one. */
export function marksOf(later: Steps, earlier: Steps): { before: Map<string, Mark>; after: Map<string, Mark> } {
  const before = new Map(earlier.steps.map((step) => [step.id, step]));
  const after = new Map(later.steps.map((step) => [step.id, step]));
  const marked = <One>(all: readonly { id: string; mark: One | undefined }[]) =>
    new Map(all.flatMap(({ id, mark }) => (mark === undefined ? [] : [[id, mark] as const])));
  const changed = (id: string): Mark | undefined => (isEqual(before.get(id), after.get(id)) ? undefined : 'changed');
  return {
    before: marked(earlier.steps.map(({ id }) => ({ id, mark: after.has(id) ? changed(id) : 'removed' }))),
    after: marked(later.steps.map(({ id }) => ({ id, mark: before.has(id) ? changed(id) : 'added' }))),
  };
}
