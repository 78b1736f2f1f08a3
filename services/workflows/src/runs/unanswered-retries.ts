import type { Step } from '../workflows/step.ts';
import type { Waiting } from './run.ts';
import { after, entry, fault, type Transition } from './transition.ts';

const minuteMs = 60_000;

/** How long a branch waits for segments to apply the events that started its run. */
const evaluationTimeoutMs = 24 * 60 * minuteMs;

const notApplied = 'The rules could not be evaluated on current data within a day.';
const notChanged = 'The segment could not be changed within a day.';

/**
 * Retries with a pause that doubles from one second to one minute, for a day. Then the run fails, whatever `on_error`
 * says, rather than take a path that may be wrong. A manual retry evaluates the branch again.
 */
export function retryLater(step: Step, waiting: Waiting & { for: 'answer' }, now: Date): Transition {
  const { since = now.toISOString() } = waiting;
  const changesSegment = step.type === 'add_to_segment' || step.type === 'remove_from_segment';
  if (now.getTime() - Date.parse(since) >= evaluationTimeoutMs) return fault(step, changesSegment ? notChanged : notApplied, waiting.key);
  const later = Math.min(minuteMs, 1_000 * 2 ** Math.min(waiting.asked, 6));
  const first = waiting.asked === 0;
  const evaluates = step.type === 'branch' || step.type === 'wait_until';
  const what = evaluates ? 'The rules cannot be evaluated on current data' : 'The contact cannot be read with current data';
  return {
    kind: 'wait',
    waiting: { ...waiting, since, asked: waiting.asked + 1, at: after(now, later) },
    log: first ? [entry(step.id, 'waiting', `${changesSegment ? 'The segment cannot be changed' : what} yet; retrying.`)] : [],
  };
}
