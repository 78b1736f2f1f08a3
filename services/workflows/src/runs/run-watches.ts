import type { Definition } from '../workflows/definition.ts';
import { stepWatches, wholeRunWatches } from '../workflows/watch-keys.ts';
import { isOpen, type Occurred, type Run } from './run.ts';

/** The keys under which a run is found when something happens to its contact; empty for a run that has ended. */
export function watchesOf(definition: Definition, run: Pick<Run, 'state' | 'step'>): string[] {
  return isOpen(run) ? [...new Set([...wholeRunWatches(definition), ...stepWatches(definition, run)])] : [];
}

/** How long a run waits, after the time has come, for what happened before to be applied. */
export const maxLateMs = 15 * 60_000;

/** The key of `watchesOf` that this belongs to. */
export function occurredKey(occurred: Occurred): string {
  switch (occurred.type) {
    case 'event':
      return `event ${occurred.name}`;
    case 'segment_entered':
    case 'segment_left':
      return `${occurred.type} ${occurred.segment_id}`;
    default:
      return occurred.type;
  }
}
