import type { Definition } from '../definition.ts';
import type { WorkflowStep } from '../workflows.ts';
import { pathsOf, type Slot, stepOf } from './graph.ts';
import { endlessStep } from './loops.ts';
import { change, connected, pruned } from './step-edits.ts';

/** The first step that all paths of a step lead to; null if they end separately. */
function meetingOf(definition: Definition, step: WorkflowStep): string | null {
  const from = (id: string): string[] => {
    const found = new Set<string>();
    for (const open = [id]; open.length > 0; ) {
      const at = stepOf(definition, open.shift() ?? null);
      if (!at || found.has(at.id)) continue;
      found.add(at.id);
      open.push(...pathsOf(at).filter((to) => to !== null));
    }
    return [...found];
  };
  const [first, ...others] = pathsOf(step).map((to) => (to === null ? [] : from(to)));
  return first?.find((id) => id !== step.id && others.every((ids) => ids.includes(id))) ?? null;
}

/** The largest number of branches and paths that the API accepts. */
export const maxPaths = { branch: 20, split: 10 } as const;

/** Adds a lane to a branch or a split. It leads to where the others meet. */
export function addPath(definition: Definition, id: string): Definition {
  const step = stepOf(definition, id);
  if (step?.type === 'branch' && step.branches.length < maxPaths.branch) {
    const slot = { from: id, path: step.branches.length };
    const when: NonNullable<(typeof step.branches)[number]['when']> = { field: 'tags', op: 'contains', value: '' };
    const grown = change(definition, { ...step, branches: [...step.branches, { when, to: id }] });
    return joinedAt(grown, slot, meetingOf(definition, step));
  }
  if (step?.type === 'split' && step.paths.length < maxPaths.split) {
    const grown = change(definition, { ...step, paths: [...step.paths, { weight: 1, to: null }] });
    return joinedAt(grown, { from: id, path: step.paths.length }, meetingOf(definition, step));
  }
  return definition;
}

/** Leads a new path to a step, or to the end if runs would never end. */
function joinedAt(definition: Definition, slot: Slot, to: string | null): Definition {
  const joined = connected(definition, [slot], to);
  return endlessStep(joined) === undefined ? joined : connected(definition, [slot], null);
}

export function canRemovePath({ steps }: Definition, { from, path }: Slot): boolean {
  const step = steps.find(({ id }) => id === from);
  if (step?.type === 'branch') return step.branches.length > 1 && path < step.branches.length;
  return step?.type === 'split' && step.paths.length > 2;
}

/** Removes a lane of a branch or a split, with the steps that only it leads to. */
export function removePath(definition: Definition, slot: Slot): Definition {
  const step = stepOf(definition, slot.from);
  if (!step || !canRemovePath(definition, slot)) return definition;
  const rest = <One>(all: readonly One[]) => all.filter((_, index) => index !== slot.path);
  if (step.type === 'branch') return pruned(change(definition, { ...step, branches: rest(step.branches) }));
  return step.type === 'split' ? pruned(change(definition, { ...step, paths: rest(step.paths) })) : definition;
}
