import type { AccountId, RunId, WorkflowId } from '@mp/ids';
import type { Count } from '../counts/counter-keys.ts';
import type { LogEntry } from './run.ts';

/** One change of a run: a row of the `run_steps` collection. */
export type LogDocument = {
  _id: string;
  account_id: AccountId;
  workflow_id: WorkflowId;
  run_id: RunId;
  sequence: number;
  at: Date;
  entries: LogEntry[];
  /** What the change adds to the counters; missing in rows from before they existed. */
  counts?: readonly Count[];
  /** The counters do not contain the row yet. Removed when it is folded. */
  uncounted?: true;
};
