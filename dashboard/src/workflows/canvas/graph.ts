import type { Definition } from '../definition.ts';
import type { WorkflowStep } from '../workflows.ts';

/** A way on from a step, or from the trigger (`from` is null). A step has as many ways as it has lanes below it. */
export type Slot = { from: string | null; way: number };

export const slotKey = ({ from, way }: Slot) => `${from ?? ''}:${way}`;

/** Where each way on from a step leads; null ends the run. */
export function waysOf(step: WorkflowStep): (string | null)[] {
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

/** Whether the way needs a step: a branch cannot lead to the end. */
const needsStep = (step: WorkflowStep, way: number) => step.type === 'branch' && way < step.branches.length;

/** The way that a run takes when the step is skipped. */
function usualWay(step: WorkflowStep): string | null {
  const ways = waysOf(step);
  return (step.type === 'branch' ? ways.at(-1) : ways[0]) ?? null;
}

/** The step with one way led elsewhere. */
function led(step: WorkflowStep, way: number, to: string | null): WorkflowStep {
  if ((waysOf(step)[way] ?? null) === to) return step;
  switch (step.type) {
    case 'exit':
      return step;
    case 'branch': {
      if (!needsStep(step, way)) return { ...step, else: to };
      return { ...step, branches: step.branches.map((branch, index) => (index === way && to !== null ? { ...branch, to } : branch)) };
    }
    case 'split':
      return { ...step, paths: step.paths.map((path, index) => (index === way ? { ...path, to } : path)) };
    case 'wait_until':
      return way === 0 ? { ...step, next: to } : { ...step, on_timeout: to };
    default:
      return { ...step, next: to };
  }
}

export const stepOf = ({ steps }: Pick<Definition, 'steps'>, id: string | null) => steps.find((step) => step.id === id);

/** Where a slot leads; null for the end. */
export function targetOf(definition: Pick<Definition, 'steps'>, { from, way }: Slot): string | null {
  if (from === null) return definition.steps[0]?.id ?? null;
  const step = stepOf(definition, from);
  return (step && waysOf(step)[way]) ?? null;
}

/** Every slot, in the order of the steps. */
export const slotsOf = ({ steps }: Pick<Definition, 'steps'>): Slot[] => [
  { from: null, way: 0 },
  ...steps.flatMap((step) => waysOf(step).map((_, way) => ({ from: step.id, way }))),
];

/** The slots that lead to a step. */
export const slotsTo = (definition: Pick<Definition, 'steps'>, id: string): Slot[] =>
  slotsOf(definition).filter((slot) => targetOf(definition, slot) === id);

/** An ID that no step has: the word, or the word with a number. */
export function freeId({ steps }: Pick<Definition, 'steps'>, word: string): string {
  const taken = new Set(steps.map(({ id }) => id));
  if (!taken.has(word)) return word;
  for (let number = 2; ; number += 1) if (!taken.has(`${word}-${number}`)) return `${word}-${number}`;
}

/** The IDs of the steps that runs can reach. */
function reachedBy({ steps }: Pick<Definition, 'steps'>): Set<string> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const reached = new Set<string>();
  for (const open = steps.slice(0, 1); open.length > 0; ) {
    const step = open.pop();
    if (!step || reached.has(step.id)) continue;
    reached.add(step.id);
    open.push(...waysOf(step).flatMap((to) => (to === null ? [] : (byId.get(to) ?? []))));
  }
  return reached;
}

/** Removes steps that no run can reach, and what refers to their emails. */
function pruned(definition: Definition): Definition {
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

/** Whether a run stays at the step for a while each time, so that a loop through it is slow. */
const isLasting = (step: WorkflowStep) => step.type === 'delay' && (step.for !== undefined || step.until_local !== undefined);

/** A step from which a run would come back to it without a wait; undefined if there is none. */
export function endlessStep({ steps }: Pick<Definition, 'steps'>): string | undefined {
  const onward = new Map(steps.filter((step) => !isLasting(step)).map((step) => [step.id, waysOf(step).filter((to) => to !== null)]));
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

/** The definition with some slots led to a step. Those of branches that would end get an exit step. */
function connected(definition: Definition, slots: readonly Slot[], to: string | null): Definition {
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
    to === null && needsStep(from, slot.way) ? { id: freeId(definition, 'exit'), type: 'exit' } : undefined;
  const changed = steps.map((step) => (step === from ? led(step, slot.way, exit?.id ?? to) : step));
  return { ...definition, steps: exit ? [...changed, exit] : changed };
}

/** Inserts a step into a slot; all its ways lead to what followed. */
export function insert(definition: Definition, slot: Slot, step: WorkflowStep): Definition {
  const target = targetOf(definition, slot);
  const { steps } = definition;
  const at = slot.from === null ? 0 : steps.findIndex(({ id }) => id === slot.from) + 1;
  const added: Definition = { ...definition, steps: [...steps.slice(0, at), step, ...steps.slice(at)] };
  const ways = waysOf(step).map((_, way) => ({ from: step.id, way }));
  return pruned(connected(connected(added, ways, target), [slot], step.id));
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
  return !slotsTo(definition, id).some(({ from, way }) => {
    const before = stepOf(definition, from);
    return before !== undefined && needsStep(before, way);
  });
}

/** Removes a step and rejoins its edges. Of the lanes below it, the usual one stays, and the steps that only others lead to go with it. */
export function remove(definition: Definition, id: string): Definition {
  const step = stepOf(definition, id);
  if (!step || !canRemove(definition, id)) return definition;
  const follows = usualWay(step);
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
  const lower = direction === 'up' ? step : stepOf(definition, waysOf(step)[0] ?? null);
  if (!upper || !lower || upper === lower || waysOf(upper).length !== 1 || waysOf(lower).length !== 1) return undefined;
  return slotsTo(definition, lower.id).length === 1 && waysOf(upper)[0] === lower.id ? [upper, lower] : undefined;
}

export const canMove = (definition: Definition, id: string, direction: 'up' | 'down') => partner(definition, id, direction) !== undefined;

/** Moves a step one place up or down within its lane. */
export function move(definition: Definition, id: string, direction: 'up' | 'down'): Definition {
  const pair = partner(definition, id, direction);
  if (!pair) return definition;
  const [upper, lower] = pair;
  const follows = waysOf(lower)[0] ?? null;
  const swapped = definition.steps.map((step) => {
    if (step === upper) return led(lower, 0, upper.id);
    if (step === lower) return led(upper, 0, follows === upper.id ? lower.id : follows);
    return waysOf(step).reduce((before, to, way) => (to === upper.id ? led(before, way, lower.id) : before), step);
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

/** Adds a copy of a step: below it, or above it if it has several ways on. An exit has none to copy to. */
export function duplicate(definition: Definition, id: string): Definition {
  const step = stepOf(definition, id);
  if (!step || step.type === 'exit') return definition;
  const copy = copyOf(definition, step);
  if (waysOf(step).length === 1) return insert(definition, { from: id, way: 0 }, copy);
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
  const isWhole = joined.steps.every((step) => reached.has(step.id) || isPlaceholder(step));
  return isWhole && endlessStep(joined) === undefined ? pruned(joined) : undefined;
}

/** Replaces a step by one with other fields. */
export const change = (definition: Definition, step: WorkflowStep): Definition => ({
  ...definition,
  steps: definition.steps.map((one) => (one.id === step.id ? step : one)),
});

/** The first step that all ways of a step lead to; null if they end separately. */
function meetingOf(definition: Definition, step: WorkflowStep): string | null {
  const from = (id: string): string[] => {
    const found = new Set<string>();
    for (const open = [id]; open.length > 0; ) {
      const at = stepOf(definition, open.shift() ?? null);
      if (!at || found.has(at.id)) continue;
      found.add(at.id);
      open.push(...waysOf(at).filter((to) => to !== null));
    }
    return [...found];
  };
  const [first, ...others] = waysOf(step).map((to) => (to === null ? [] : from(to)));
  return first?.find((id) => id !== step.id && others.every((ids) => ids.includes(id))) ?? null;
}

/** The largest number of branches and paths that the API accepts. */
export const maxWays = { branch: 20, split: 10 } as const;

/** Adds a lane to a branch or a split. It leads to where the others meet. */
export function addWay(definition: Definition, id: string): Definition {
  const step = stepOf(definition, id);
  if (step?.type === 'branch' && step.branches.length < maxWays.branch) {
    const slot = { from: id, way: step.branches.length };
    const when: NonNullable<(typeof step.branches)[number]['when']> = { field: 'tags', op: 'contains', value: '' };
    const grown = change(definition, { ...step, branches: [...step.branches, { when, to: id }] });
    return joinedAt(grown, slot, meetingOf(definition, step));
  }
  if (step?.type === 'split' && step.paths.length < maxWays.split) {
    const grown = change(definition, { ...step, paths: [...step.paths, { weight: 1, to: null }] });
    return joinedAt(grown, { from: id, way: step.paths.length }, meetingOf(definition, step));
  }
  return definition;
}

/** Leads a new way to a step, or to the end if runs would never end. */
function joinedAt(definition: Definition, slot: Slot, to: string | null): Definition {
  const joined = connected(definition, [slot], to);
  return endlessStep(joined) === undefined ? joined : connected(definition, [slot], null);
}

export function canRemoveWay({ steps }: Definition, { from, way }: Slot): boolean {
  const step = steps.find(({ id }) => id === from);
  if (step?.type === 'branch') return step.branches.length > 1 && way < step.branches.length;
  return step?.type === 'split' && step.paths.length > 2;
}

/** Removes a lane of a branch or a split, with the steps that only it leads to. */
export function removeWay(definition: Definition, slot: Slot): Definition {
  const step = stepOf(definition, slot.from);
  if (!step || !canRemoveWay(definition, slot)) return definition;
  const rest = <One>(all: readonly One[]) => all.filter((_, index) => index !== slot.way);
  if (step.type === 'branch') return pruned(change(definition, { ...step, branches: rest(step.branches) }));
  return step.type === 'split' ? pruned(change(definition, { ...step, paths: rest(step.paths) })) : definition;
}
