import { openStates, type Run } from './run.ts';

/** Everything about a run that stays as it was when it began. */
export type Beginning = {
  account_id: string;
  workflow_name: string;
  version: number;
  trigger: { type: string; event_id: string | null };
  data: Record<string, unknown>;
  created_at: Date;
};

export type StoredRun = Run & Beginning & { ended_at: Date | null; due_at: Date | null };

export type RunDocument = Omit<Run, 'id'> &
  Omit<Beginning, 'data'> & {
    _id: string;
    data: string;
    ended_at: Date | null;
    /** What makes the run the only one: its trigger, its chain, and under `after_exit` and `once` its being there. */
    locks: string[];
    /** When an engine may take it: its timer, or the end of the lease of the engine that has it. Absent while only an answer moves it. */
    due_at?: Date;
    /** In place of `due_at` while it waits for its webhook: when a caller may take it. */
    call_at?: Date;
    /** Contacts it was one of before they were merged, in this order: it goes back to one whose merge is undone. */
    was?: string[];
    /** The batch in which a worker took it. */
    claim?: string;
  };

/**
 * Which worker takes a run when its time has come, as the field that holds this time. Webhooks have a worker of their
 * own: whatever it waits for, the engine never sees it.
 */
export type Lane = 'due_at' | 'call_at';

export const laneOf = ({ waiting }: Pick<Run, 'waiting'>): Lane => (waiting?.for === 'webhook' ? 'call_at' : 'due_at');

/** The update that gives a run its time and takes it from the worker that has it; null when only an answer moves it. */
export function dueUpdate(run: Pick<Run, 'waiting'>, dueAt: Date | null) {
  const lane = laneOf(run);
  const [$set, gone]: [Partial<Record<Lane, Date>>, Lane[]] = dueAt
    ? [{ [lane]: dueAt }, [lane === 'due_at' ? 'call_at' : 'due_at']]
    : [{}, ['due_at', 'call_at']];
  return { $set, $unset: { claim: '' as const, ...Object.fromEntries(gone.map((name) => [name, '' as const])) } };
}

export const isOpenState = (state: string) => openStates.some((open) => open === state);

export function documentOf({ id, data, due_at, ...members }: StoredRun, locks: string[]): RunDocument {
  return { _id: id, ...members, data: JSON.stringify(data), locks, ...(due_at && { [laneOf(members)]: due_at }) };
}

export function runOf({ _id, data, locks, claim, was, due_at, call_at, ...members }: RunDocument): StoredRun {
  return { id: _id, ...members, data: JSON.parse(data), due_at: call_at ?? due_at ?? null };
}
