import type { Definition } from '../definition.ts';
import { pathsOf, type Slot, slotKey } from '../edits/graph.ts';

/** The part of a workflow that one contact went through. */
export type LitPath = { steps: ReadonlySet<string>; slots: ReadonlySet<string> };

type Entry = { step_id: string | null; event: string };

/** The path of a run by its log. Between two steps in a row, the first path that connects them is lit. */
export function litPathOf({ steps }: Pick<Definition, 'steps'>, log: readonly Entry[], isEnded: boolean): LitPath {
  const visited = log.flatMap(({ step_id }) => step_id ?? []).filter((id, index, all) => id !== all[index - 1]);
  const slots = new Set<string>();
  const light = (slot: Slot | undefined) => slot && slots.add(slotKey(slot));
  if (visited.length > 0) light({ from: null, path: 0 });
  for (const [index, id] of visited.entries()) {
    const step = steps.find((one) => one.id === id);
    const next = visited[index + 1];
    if (!step || (next === undefined && !isEnded)) continue;
    const path = pathsOf(step).indexOf(next ?? null);
    if (path >= 0) light({ from: id, path });
  }
  return { steps: new Set(visited), slots };
}
