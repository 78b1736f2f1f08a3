import { bucketOf, type Count, endKey, nowPrefix, variantKey } from '../counts/counter-keys.ts';
import { type Advanced, isOpen, type LogEntry, type Run } from './run.ts';

type Standing = Pick<Run, 'state' | 'step' | 'reason'>;

/** What one change of a run counts as; `before` is undefined for a run that starts. A step counts each time a run reaches it. */
export function countsOf(
  before: Standing | undefined,
  { run, log, passages }: Pick<Advanced, 'run' | 'log' | 'passages'>,
  first: string | null,
) {
  const sums = new Map<string, Count>();
  const add = (step: string, counter: string, by = 1) => {
    const key = `${step} ${counter}`;
    sums.set(key, [step, counter, (sums.get(key)?.[2] ?? 0) + by]);
  };
  const standing = (at: Standing, by: 1 | -1) => {
    add('', `${nowPrefix}${at.state}`, by);
    if (at.step !== null && isOpen(at)) add(at.step, `${nowPrefix}waiting`, by);
    if (at.step !== null && at.state === 'failed') add(at.step, `${nowPrefix}failed`, by);
  };

  if (before) standing(before, -1);
  else {
    add('', 'entered');
    if (first !== null) add(first, 'entered');
  }
  standing(run, 1);
  for (const { from, to, seconds } of passages) {
    if (to !== null) add(to, 'entered');
    if (from === null) continue;
    add(from, `next.${to ?? endKey}`);
    add(from, `time.${bucketOf(seconds)}`);
  }
  for (const { step, what, variant } of log) {
    const outcome = outcomeOf(what);
    if (step !== null && outcome) add(step, outcome);
    if (step !== null && variant !== undefined) add(step, `variant.${variantKey(variant)}`);
  }
  if (!isOpen(run) && (before === undefined || isOpen(before) || before.state !== run.state)) {
    add('', run.state);
    if (run.state === 'failed' && run.step !== null) add(run.step, 'failed');
    else if (run.step !== null) add(run.step, 'exited');
    if (run.state === 'converted' && run.reason !== null) {
      add(run.reason, 'converted');
      const toGoal = `to_goal.${bucketOf(secondsToGoal(run))}`;
      add('', toGoal);
      add(run.reason, toGoal);
    }
  }
  return [...sums.values()].filter(([, , by]) => by !== 0);
}

/** From what started the run to its goal. An event that happened before the start counts as none. */
const secondsToGoal = ({ began, converted_at = began }: Pick<Run, 'began' | 'converted_at'>) =>
  Math.max(0, (Date.parse(converted_at) - Date.parse(began)) / 1_000);

function outcomeOf(what: LogEntry['what']): 'done' | 'skipped' | undefined {
  if (what === 'skipped') return what;
  return what === 'done' || what === 'taken' ? 'done' : undefined;
}
