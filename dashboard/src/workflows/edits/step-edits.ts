import type { Definition } from '../definition.ts';
import type { WorkflowStep } from '../workflows.ts';
import { needsStep, pathsOf, reachedBy, type Slot, slotKey, slotsTo, stepOf, targetOf } from './graph.ts';
import { endlessStep } from './loops.ts';

/** The path that a run takes when the step is skipped. */
function usualPath(step: WorkflowStep): string | null {
  const paths = pathsOf(step);
  return (step.type === 'branch' ? paths.at(-1) : paths[0]) ?? null;
}

/** The step with one path led elsewhere. */
function led(step: WorkflowStep, path: number, to: string | null): WorkflowStep {
  if ((pathsOf(step)[path] ?? null) === to) return step;
  switch (step.type) {
    case 'exit':
      return step;
    case 'branch': {
      if (!needsStep(step, path)) return { ...step, else: to };
      return { ...step, branches: step.branches.map((branch, index) => (index === path && to !== null ? { ...branch, to } : branch)) };
    }
    case 'split':
      return { ...step, paths: step.paths.map((one, index) => (index === path ? { ...one, to } : one)) };
    case 'wait_until':
      return path === 0 ? { ...step, next: to } : { ...step, on_timeout: to };
    default:
      return { ...step, next: to };
  }
}

/** An ID that no step has: the word, or the word with a number. */
export function freeId({ steps }: Pick<Definition, 'steps'>, word: string): string {
  const taken = new Set(steps.map(({ id }) => id));
  if (!taken.has(word)) return word;
  for (let number = 2; ; number += 1) if (!taken.has(`${word}-${number}`)) return `${word}-${number}`;
}

/** Removes steps that no run can reach, and what refers to their emails. */
export function pruned(definition: Definition): Definition {
  const reached = reachedBy(definition);
  type Occurrence = NonNullable<Definition['exit_when']>[number];
  const known = (occurrence: Occurrence): Occurrence => {
    if (!('step_id' in occurrence) || occurrence.step_id === undefined || reached.has(occurrence.step_id)) return occurrence;
    const { step_id: _, ...ofAny } = occurrence;
    return ofAny;
  };
  const steps = definition.steps
    .filter(({ id }) => reached.has(id))
    .map((step) => {
      if (step.type !== 'wait_until' && step.type !== 'goal') return step;
      const any = sameIfEqual(step.any, step.any.map(known));
      return any === step.any ? step : { ...step, any };
    });
  const { exit_when } = definition;
  return { ...definition, ...(exit_when && { exit_when: sameIfEqual(exit_when, exit_when.map(known)) }), steps };
}

/** The list as it was, if none of its members was replaced. */
const sameIfEqual = <One>(before: One[], after: One[]) => (after.every((one, index) => one === before[index]) ? before : after);

/** The definition with some slots led to a step. Those of branches that would end get an exit step. */
export function connected(definition: Definition, slots: readonly Slot[], to: string | null): Definition {
  let result = definition;
  for (const slot of slots) result = connectedOne(result, slot, to);
  return result;
}

function connectedOne(definition: Definition, slot: Slot, to: string | null): Definition {
  const { steps } = definition;
  if (slot.from === null) {
    const first = stepOf(definition, to);
    return { ...definition, steps: first ? [first, ...steps.filter((step) => step !== first)] : [] };
  }
  const from = stepOf(definition, slot.from);
  if (!from) return definition;
  const exit: WorkflowStep | undefined =
    to === null && needsStep(from, slot.path) ? { id: freeId(definition, 'exit'), type: 'exit' } : undefined;
  const changed = steps.map((step) => (step === from ? led(step, slot.path, exit?.id ?? to) : step));
  return { ...definition, steps: exit ? [...changed, exit] : changed };
}

/** Inserts a step into a slot; all its paths lead to what followed. */
export function insert(definition: Definition, slot: Slot, step: WorkflowStep): Definition {
  const target = targetOf(definition, slot);
  const { steps } = definition;
  const at = slot.from === null ? 0 : steps.findIndex(({ id }) => id === slot.from) + 1;
  const added: Definition = { ...definition, steps: [...steps.slice(0, at), step, ...steps.slice(at)] };
  const paths = pathsOf(step).map((_, path) => ({ from: step.id, path }));
  return pruned(connected(connected(added, paths, target), [slot], step.id));
}

/** Whether nothing is lost when a step of this type is inserted there: after an exit, no steps follow. */
export function canInsert(definition: Definition, slot: Slot, type: WorkflowStep['type']): boolean {
  if (type !== 'exit') return true;
  const target = targetOf(definition, slot);
  return target === null || slotsTo(definition, target).some((one) => slotKey(one) !== slotKey(slot));
}

/** Whether a step can be removed: not the exit that a branch leads to, as a branch needs a step. */
export function canRemove(definition: Definition, id: string): boolean {
  const step = stepOf(definition, id);
  if (step?.type !== 'exit') return step !== undefined;
  return !slotsTo(definition, id).some(({ from, path }) => {
    const before = stepOf(definition, from);
    return before !== undefined && needsStep(before, path);
  });
}

/** Removes a step and rejoins its edges. Of the lanes below it, the usual one stays, and the steps that only others lead to go with it. */
export function remove(definition: Definition, id: string): Definition {
  const step = stepOf(definition, id);
  if (!step || !canRemove(definition, id)) return definition;
  const follows = usualPath(step);
  const rejoined = without(definition, id, follows === id ? null : follows);
  return endlessStep(rejoined) === undefined ? rejoined : without(definition, id, null);
}

function without(definition: Definition, id: string, follows: string | null): Definition {
  const led = connected(definition, slotsTo(definition, id), follows);
  return pruned({ ...led, steps: led.steps.filter((step) => step.id !== id) });
}

/** The step below or above in the same lane that it can change places with. */
function partner(definition: Definition, id: string, direction: 'up' | 'down'): [upper: WorkflowStep, lower: WorkflowStep] | undefined {
  const step = stepOf(definition, id);
  if (!step) return undefined;
  const [slot, ...others] = slotsTo(definition, id);
  const upper = direction === 'down' ? step : others.length === 0 && slot ? stepOf(definition, slot.from) : undefined;
  const lower = direction === 'up' ? step : stepOf(definition, pathsOf(step)[0] ?? null);
  if (!upper || !lower || upper === lower || pathsOf(upper).length !== 1 || pathsOf(lower).length !== 1) return undefined;
  return slotsTo(definition, lower.id).length === 1 && pathsOf(upper)[0] === lower.id ? [upper, lower] : undefined;
}

export const canMove = (definition: Definition, id: string, direction: 'up' | 'down') => partner(definition, id, direction) !== undefined;

/** Moves a step one place up or down within its lane. */
export function move(definition: Definition, id: string, direction: 'up' | 'down'): Definition {
  const pair = partner(definition, id, direction);
  if (!pair) return definition;
  const [upper, lower] = pair;
  const follows = pathsOf(lower)[0] ?? null;
  const swapped = definition.steps.map((step) => {
    if (step === upper) return led(lower, 0, upper.id);
    if (step === lower) return led(upper, 0, follows === upper.id ? lower.id : follows);
    return pathsOf(step).reduce((before, to, path) => (to === upper.id ? led(before, path, lower.id) : before), step);
  });
  return { ...definition, steps: swapped };
}

/** Moves a step by several places within its lane, as far as it goes; negative is up. */
export function moveBy(definition: Definition, id: string, places: number): Definition {
  let moved = definition;
  for (let left = Math.abs(places); left > 0; left -= 1) moved = move(moved, id, places < 0 ? 'up' : 'down');
  return moved;
}

/** A copy of a step with its own ID. */
export const copyOf = (definition: Definition, step: WorkflowStep): WorkflowStep => ({
  ...step,
  id: freeId(definition, step.id.replace(/-\d+$/, '').slice(0, 50)),
});

/** Adds a copy of a step: below it, or above it if it has several paths. An exit has none to copy to. */
export function duplicate(definition: Definition, id: string): Definition {
  const step = stepOf(definition, id);
  if (!step || step.type === 'exit') return definition;
  const copy = copyOf(definition, step);
  if (pathsOf(step).length === 1) return insert(definition, { from: id, path: 0 }, copy);
  const [slot, ...others] = slotsTo(definition, id);
  return slot ? connected(insert(definition, slot, copy), others, copy.id) : definition;
}

/** The exit of a lane that was empty: nothing written is lost with it. */
const isPlaceholder = ({ type, name, ...step }: WorkflowStep) => type === 'exit' && !name && !('reason' in step && step.reason);

/** Leads a slot to an existing step. Undefined if steps would be lost, or a run would never end. */
export function connect(definition: Definition, slot: Slot, to: string): Definition | undefined {
  if (slot.from === null || targetOf(definition, slot) === to) return undefined;
  const joined = connected(definition, [slot], to);
  const reached = reachedBy(joined);
  const isComplete = joined.steps.every((step) => reached.has(step.id) || isPlaceholder(step));
  return isComplete && endlessStep(joined) === undefined ? pruned(joined) : undefined;
}

/** Replaces a step by one with other fields. */
export const change = (definition: Definition, step: WorkflowStep): Definition => ({
  ...definition,
  steps: definition.steps.map((one) => (one.id === step.id ? step : one)),
});
