import type { Definition } from '../workflows/definition.ts';
import { isOpen, type Run } from './run.ts';

/** What a run of a workflow with `max_concurrent` does to its capacity. */
export type Capacity = 'awaited' | 'used';

/** Undefined without a limit, for a run that has not taken its first step, and for one that has ended. */
export function capacityOf(
  { max_concurrent }: Pick<Definition, 'max_concurrent'>,
  run: Pick<Run, 'state' | 'sequence' | 'waiting'>,
): Capacity | undefined {
  if (!isOpen(run) || run.sequence === 0) return undefined;
  if (run.waiting?.for === 'capacity') return 'awaited';
  return max_concurrent === null ? undefined : 'used';
}
