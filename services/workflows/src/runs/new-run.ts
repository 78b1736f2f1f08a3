import { type AccountId, type ContactId, newId } from '@mp/ids';
import type { Origin } from '@mp/service-kit/mongo';
import type { Workflow } from '../workflows/workflow.ts';
import type { StoredRun } from './run-document.ts';

/**
 * A contact that enters. `key` names the cause: the same key never starts a second run. Branches wait for `revision` and
 * `after`, see `Run`.
 */
export type Entrant = {
  contactId: ContactId;
  /** When the cause happened; now by default. */
  at?: Date;
  /** When the run takes its first step, if that is later. */
  startAt?: Date;
  revision?: number;
  after?: readonly string[];
  key?: string;
  chain?: string | null;
  /** The activation that starts each contact once, whatever the key. */
  enrollment?: string;
  data?: Record<string, unknown>;
};

/** A contact that is to enter a workflow. `cause` is what triggers it, if the transaction has several causes. */
export type Start = {
  accountId: AccountId;
  workflow: Workflow;
  trigger: StoredRun['trigger'];
  entrant: Entrant;
  cause?: Origin | undefined;
};

/** The run of a start before its first step. */
export function newRun({ accountId, workflow, trigger, entrant }: Start, now: Date): StoredRun {
  const began = (entrant.at ?? now).toISOString();
  return {
    id: newId('run'),
    account_id: accountId,
    workflow_id: workflow.id,
    workflow_name: workflow.name,
    version: workflow.version,
    contact_id: entrant.contactId,
    state: 'active',
    reason: null,
    step: workflow.steps[0]?.id ?? null,
    waiting: null,
    sequence: 0,
    revision: entrant.revision ?? 0,
    after: entrant.after ?? [],
    chain: entrant.chain ?? null,
    began,
    since: (entrant.startAt ?? now).toISOString(),
    reached: began,
    sent: {},
    engaged: [],
    responses: {},
    trigger,
    ...(workflow.priority === 'high' && { priority: 'high' }),
    data: entrant.data ?? {},
    created_at: now,
    ended_at: null,
    due_at: null,
  };
}
