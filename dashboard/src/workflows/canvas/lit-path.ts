import type { Definition } from '../definition.ts';
import { type Slot, slotKey, waysOf } from './graph.ts';

/** The part of a workflow that one contact went through. */
export type LitPath = { steps: ReadonlySet<string>; slots: ReadonlySet<string> };

type Entry = { step_id: string | null; event: string };

/** The path of a run by its log. Between two steps in a row, the first way that connects them is lit. */
export function pathOf({ steps }: Pick<Definition, 'steps'>, log: readonly Entry[], isEnded: boolean): LitPath {
  const visited = log.flatMap(({ step_id }) => step_id ?? []).filter((id, index, all) => id !== all[index - 1]);
  const slots = new Set<string>();
  const light = (slot: Slot | undefined) => slot && slots.add(slotKey(slot));
  if (visited.length > 0) light({ from: null, way: 0 });
  for (const [index, id] of visited.entries()) {
    const step = steps.find((one) => one.id === id);
    const next = visited[index + 1];
    if (!step || (next === undefined && !isEnded)) continue;
    const way = waysOf(step).indexOf(next ?? null);
    if (way >= 0) light({ from: id, way });
  }
  return { steps: new Set(visited), slots };
}
