import type { WorkflowId } from '@mp/ids';
import { durationMs } from '@mp/rules/duration';
import type { Definition } from '../workflows/definition.ts';
import { type Step, targetsOf } from '../workflows/step.ts';

type Steps = Pick<Definition, 'steps'>;

/** Where a run can be: at a step, after this time and this many emails. `local` are the waits for a time of day that it has passed. */
type Place = { id: string; at: number; emails: number; local: readonly string[] };

/** Bounds the search in a workflow whose loops take seconds. */
const maxPlaces = 200_000;

/**
 * The most emails that one run can send within this time of its start, whichever path it takes. Waits that can end early take no
 * time on the way on which they do, and each workflow that a step starts counts, if `known` has it.
 */
export function emailsWithin(
  { steps }: Steps,
  withinMs: number,
  known: ReadonlyMap<WorkflowId, Steps> = new Map(),
  started: ReadonlySet<WorkflowId> = new Set(),
): number {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const [first] = steps;
  const open: Place[] = first ? [{ id: first.id, at: 0, emails: 0, local: [] }] : [];
  const best = new Map<string, number>();
  let most = 0;
  for (let places = 0; places < maxPlaces; places += 1) {
    const place = open.pop();
    if (!place) break;
    const step = byId.get(place.id);
    if (!step || place.local.includes(step.id)) continue;
    const emails = place.emails + emailsOf(step, withinMs - place.at, known, started);
    most = Math.max(most, emails);
    const local = step.type === 'delay' && step.until_local !== undefined ? [...place.local, step.id] : place.local;
    for (const id of targetsOf(step)) {
      const at = place.at + shortestMs(step, id);
      if (at > withinMs) continue;
      const name = `${id} ${at} ${local.join(' ')}`;
      if ((best.get(name) ?? -1) >= emails) continue;
      best.set(name, emails);
      open.push({ id, at, emails, local });
    }
  }
  return most;
}

/** The shortest time until the run leaves the step for this one: at once when something may happen, or after the time-out. */
function shortestMs(step: Step, target: string): number {
  if (step.type === 'delay' && step.for !== undefined) return durationMs(step.for) ?? 0;
  return step.type === 'wait_until' && target === step.on_timeout && target !== step.next ? (durationMs(step.timeout) ?? 0) : 0;
}

function emailsOf(step: Step, withinMs: number, known: ReadonlyMap<WorkflowId, Steps>, started: ReadonlySet<WorkflowId>): number {
  if (step.type === 'send') return 1;
  if (step.type !== 'start_workflow' || started.has(step.workflow_id)) return 0;
  const other = known.get(step.workflow_id);
  return other ? emailsWithin(other, withinMs, known, new Set([...started, step.workflow_id])) : 0;
}
