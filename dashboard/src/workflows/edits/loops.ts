import type { Definition } from '../definition.ts';
import type { WorkflowStep } from '../workflows.ts';
import { pathsOf } from './graph.ts';

/** Whether a run stays at the step for a while each time, so that a loop through it is slow. */
const isLasting = (step: WorkflowStep) => step.type === 'delay' && (step.for !== undefined || step.until_local !== undefined);

/** A step from which a run would come back to it without a wait; undefined if there is none. */
export function endlessStep({ steps }: Pick<Definition, 'steps'>): string | undefined {
  const onward = new Map(steps.filter((step) => !isLasting(step)).map((step) => [step.id, pathsOf(step).filter((to) => to !== null)]));
  const safe = new Set<string>();
  for (const root of onward.keys()) {
    const open = [{ id: root, left: [...(onward.get(root) ?? [])] }];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const to = top.left.pop();
      if (to === undefined) {
        safe.add(top.id);
        open.pop();
      } else if (open.some(({ id }) => id === to)) return to;
      else if (onward.has(to) && !safe.has(to)) open.push({ id: to, left: [...(onward.get(to) ?? [])] });
    }
  }
  return undefined;
}
