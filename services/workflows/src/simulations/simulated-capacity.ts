import { isOpen } from '../runs/run.ts';
import type { Simulated } from './simulate.ts';

/** When the runs of several contacts are admitted to a workflow with `max_concurrent`; they start at `from`, one after the other. */
export function createSimulatedCapacity(limit: number | null, from: Date) {
  /** When the admitted runs end; infinite for those that are still open. */
  const ends: number[] = [];

  return {
    /** When fewer than the limit are open; undefined if that does not happen. */
    freeAt(): Date | undefined {
      if (limit === null || ends.length < limit) return from;
      const end = ends.toSorted((a, b) => a - b)[ends.length - limit];
      return end === undefined || end === Number.POSITIVE_INFINITY ? undefined : new Date(end);
    },

    use({ run, log, isAdmitted }: Simulated) {
      if (isAdmitted) ends.push(isOpen(run) ? Number.POSITIVE_INFINITY : Number(log.at(-1)?.at ?? from));
    },
  };
}
