import type { AccountId, ContactId, RunId } from '@mp/ids';
import type { Capacity } from './capacity.ts';
import { openStates, type Run } from './run.ts';

/** The fields of a run that never change after its start. */
export type RunStart = {
  account_id: AccountId;
  workflow_name: string;
  trigger: { type: string; event_id: string | null };
  /** Missing in runs of workflows with the usual priority. */
  priority?: 'high';
  created_at: Date;
};

export type StoredRun = Run & RunStart & { ended_at: Date | null; due_at: Date | null };

/** Missing in runs that earlier versions stored. */
type AddedLater = 'began' | 'reached' | 'sent' | 'engaged' | 'responses';

export type RunDocument = Omit<Run, 'id' | 'data' | AddedLater> &
  Partial<Pick<Run, Exclude<AddedLater, 'responses'>>> &
  RunStart & {
    _id: RunId;
    /** JSON, because names can contain characters that MongoDB 4.0 does not accept. */
    data: string;
    responses?: string;
    ended_at: Date | null;
    /** Keys that a unique index allows only once: the trigger, the chain, and the entry under `after_exit` and `once`. */
    locks: string[];
    /** When an engine can claim the run: its timer, or the end of the current lease. Absent while only a reply can advance it. */
    due_at?: Date;
    /** Replaces `due_at` while the run waits for its webhook: when a caller can claim it. */
    call_at?: Date;
    /** What the open run watches for, see `watchesOf`. */
    watches?: string[];
    /** Only in open runs of workflows with a limit, see `capacityOf`. */
    capacity?: Capacity;
    /** The contacts that the run belonged to before merges, oldest first: it returns to one whose merge is undone. */
    was?: ContactId[];
    /** The batch in which a worker claimed the run. */
    claim?: string;
  };

/**
 * Which worker claims a due run, named by the field that holds the time. Webhooks have a separate worker, so the engine
 * never waits for them.
 */
export type DueField = 'due_at' | 'call_at';

export const dueFieldOf = ({ waiting }: Pick<Run, 'waiting'>): DueField => (waiting?.for === 'webhook' ? 'call_at' : 'due_at');

/** The update that sets the time of a run and ends its claim. `dueAt` is null when only a reply can advance the run. */
export function dueUpdate(run: Pick<Run, 'waiting'>, dueAt: Date | null) {
  const field = dueFieldOf(run);
  const [$set, gone]: [Partial<Record<DueField, Date>>, DueField[]] = dueAt
    ? [{ [field]: dueAt }, [field === 'due_at' ? 'call_at' : 'due_at']]
    : [{}, ['due_at', 'call_at']];
  return { $set, $unset: { claim: '' as const, ...Object.fromEntries(gone.map((name) => [name, '' as const])) } };
}

export const isOpenState = (state: string) => openStates.some((open) => open === state);

type Indexed = { locks: string[]; watches: string[]; capacity?: Capacity | undefined };

export function documentOf({ id, data, responses, due_at, ...members }: StoredRun, { locks, watches, capacity }: Indexed): RunDocument {
  return {
    _id: id,
    ...members,
    data: JSON.stringify(data),
    ...responsesOf(responses),
    locks,
    ...(watches.length > 0 && { watches }),
    ...(capacity && { capacity }),
    ...(due_at && { [dueFieldOf(members)]: due_at }),
  };
}

/** Stored only when there are some. */
export const responsesOf = (responses: Run['responses']) =>
  Object.keys(responses).length > 0 ? { responses: JSON.stringify(responses) } : {};

export function runOf({ _id, data, responses, locks, claim, was, watches, capacity, due_at, call_at, ...members }: RunDocument): StoredRun {
  const began = members.began ?? members.created_at.toISOString();
  const { reached = began, sent = {}, engaged = [] } = members;
  const captured = responses === undefined ? {} : JSON.parse(responses);
  return {
    id: _id,
    ...members,
    began,
    reached,
    sent,
    engaged,
    data: JSON.parse(data),
    responses: captured,
    due_at: call_at ?? due_at ?? null,
  };
}
