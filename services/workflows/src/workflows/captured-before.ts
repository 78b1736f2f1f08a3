import type { Captured } from '@mp/templates/fields';
import { type Step, targetsOf } from './step.ts';

/** What webhooks on some path to each step capture, by the id of the step. */
export function capturedBefore(steps: readonly Step[]): (stepId: string) => Captured {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const sources = steps.flatMap((step) => {
    const names = new Set(step.type === 'webhook' ? Object.keys(step.capture ?? {}) : []);
    return names.size === 0 ? [] : [{ id: step.id, names, reached: reachedFrom(step, byId) }];
  });
  return (stepId) => new Map(sources.flatMap(({ id, names, reached }) => (reached.has(stepId) ? [[id, names] as const] : [])));
}

/** The steps after this one; itself only in a loop. */
function reachedFrom(step: Step, byId: ReadonlyMap<string, Step>): Set<string> {
  const reached = new Set<string>();
  const pending = targetsOf(step);
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const next = byId.get(id);
    if (!next || reached.has(id)) continue;
    reached.add(id);
    pending.push(...targetsOf(next));
  }
  return reached;
}
