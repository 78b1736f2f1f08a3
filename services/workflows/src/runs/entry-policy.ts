import { createHash } from 'node:crypto';
import type { AccountId, ContactId, RunId, WorkflowId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Entry } from '../workflows/definition.ts';
import { valueAt } from '../workflows/value-at.ts';
import { newRun, type Start } from './new-run.ts';
import type { Run } from './run.ts';

const openLock = 'open';

/** Matches the lock of an open run, with or without the value of `entry.key`. */
export const openLocks = /^open( |$)/;

/**
 * The lock under which the entry policy admits a run once; undefined for `every_time`. With `entry.key`, there is one per
 * value; runs without a value share one.
 */
export function entryLock({ policy, key }: Entry, data: Record<string, unknown>): string | undefined {
  if (policy === 'every_time') return undefined;
  const lock = policy === 'once' ? 'once' : openLock;
  const value = key === undefined ? undefined : valueAt({ data }, key);
  return value === undefined || value === null ? lock : `${lock} ${createHash('sha256').update(JSON.stringify(value)).digest('base64url')}`;
}

/** The lock of what caused a run. */
export const entryOf = (cause: string) => `entry ${cause}`;

/** The locks of a run that starts. `key` and `chain` name what caused it, `enrollment` the activation that starts each contact once. */
export const locksOf = (
  run: Pick<Run, 'id'> & { data: Record<string, unknown> },
  { key, chain, enrollment }: { key?: string | undefined; chain?: string | null | undefined; enrollment?: string | undefined },
  entry: Entry,
): string[] => {
  const lock = entryLock(entry, run.data);
  return [
    entryOf(key ?? run.id),
    ...(chain ? [`chain ${chain}`] : []),
    ...(enrollment ? [`enrollment ${enrollment}`] : []),
    ...(lock === undefined ? [] : [lock]),
  ];
};

/** A contact that is to enter a workflow, with the locks of its run. */
export type Entering = {
  accountId: AccountId;
  workflowId: WorkflowId;
  contactId: ContactId;
  locks: readonly string[];
  unless: 'open' | 'any' | 'none';
};

/** `taken` finds for each entrant the run that prevents its entry. */
type Runs = { taken: (tx: Transaction, entrants: readonly Entering[]) => Promise<(RunId | undefined)[]> };

/**
 * What each start became, in order: a run that has not taken its first step, with its locks, or the run that prevents it by the entry
 * policy. Writes nothing.
 */
export async function admit(runs: Runs, tx: Transaction, starts: readonly Start[], now: Date) {
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
