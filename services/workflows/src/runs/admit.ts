import type { RunId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import { locksOf } from './locks.ts';
import { newRun, type Start } from './new-run.ts';
import type { RunsStore } from './runs-store.ts';

/**
 * What each start became, in order: a run that has not taken its first step, with its locks, or the run that prevents it by the entry
 * policy. Writes nothing.
 */
export async function admit(runs: Pick<RunsStore, 'taken'>, tx: Transaction, starts: readonly Start[], now: Date) {
  const created = starts.map((start) => {
    const run = newRun(start, now);
    return { start, run, locks: locksOf(run, start.entrant, start.workflow.entry) };
  });
  const earlier = await runs.taken(
    tx,
    created.map(({ start: { accountId, workflow, entrant }, locks }) => {
      const { policy, key } = workflow.entry;
      const unless = key !== undefined || policy === 'every_time' ? 'none' : policy === 'once' ? 'any' : 'open';
      return { accountId, workflowId: workflow.id, contactId: entrant.contactId, locks, unless };
    }),
  );
  const held = new Map<string, RunId>();
  return created.map((one, index) => {
    const { workflow, entrant } = one.start;
    const names = one.locks.map((lock) => `${workflow.id} ${entrant.contactId} ${lock}`);
    const existing = earlier[index] ?? names.map((name) => held.get(name)).find((id) => id !== undefined);
    if (existing !== undefined) return { existing };
    for (const name of names) held.set(name, one.run.id);
    return one;
  });
}
