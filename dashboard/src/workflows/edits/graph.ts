import type { Definition } from '../definition.ts';
import type { WorkflowStep } from '../workflows.ts';

/** A path from a step, or from the trigger (`from` is null). A step has as many paths as it has lanes below it. */
export type Slot = { from: string | null; path: number };

export const slotKey = ({ from, path }: Slot) => `${from ?? ''}:${path}`;

/** Where each path from a step leads; null ends the run. */
export function pathsOf(step: WorkflowStep): (string | null)[] {
  switch (step.type) {
    case 'exit':
      return [];
    case 'branch':
      return [...step.branches.map(({ to }) => to), step.else ?? null];
    case 'split':
      return step.paths.map(({ to }) => to);
    case 'wait_until':
      return [step.next ?? null, step.on_timeout ?? null];
    default:
      return [step.next ?? null];
  }
}

/** Whether the path needs a step: a branch cannot lead to the end. */
export const needsStep = (step: WorkflowStep, path: number) => step.type === 'branch' && path < step.branches.length;

export const stepOf = ({ steps }: Pick<Definition, 'steps'>, id: string | null) => steps.find((step) => step.id === id);

/** Where a slot leads; null for the end. */
export function targetOf(definition: Pick<Definition, 'steps'>, { from, path }: Slot): string | null {
  if (from === null) return definition.steps[0]?.id ?? null;
  const step = stepOf(definition, from);
  return (step && pathsOf(step)[path]) ?? null;
}

/** Every slot, in the order of the steps. */
export const slotsOf = ({ steps }: Pick<Definition, 'steps'>): Slot[] => [
  { from: null, path: 0 },
  ...steps.flatMap((step) => pathsOf(step).map((_, path) => ({ from: step.id, path }))),
];

/** The slots that lead to a step. */
export const slotsTo = (definition: Pick<Definition, 'steps'>, id: string): Slot[] =>
  slotsOf(definition).filter((slot) => targetOf(definition, slot) === id);

/** The IDs of the steps that runs can reach. */
export function reachedBy({ steps }: Pick<Definition, 'steps'>): Set<string> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const reached = new Set<string>();
  for (const open = steps.slice(0, 1); open.length > 0; ) {
    const step = open.pop();
    if (!step || reached.has(step.id)) continue;
    reached.add(step.id);
    open.push(...pathsOf(step).flatMap((to) => (to === null ? [] : (byId.get(to) ?? []))));
  }
  return reached;
}
