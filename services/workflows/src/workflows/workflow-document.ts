import type { AccountId, WorkflowId } from '@mp/ids';
import type { Definition } from './definition.ts';
import { readDefinition, storedDefinition } from './stored-definition.ts';
import { triggerKey } from './trigger.ts';
import { definitionOf, type Workflow } from './workflow.ts';

export type WorkflowDocument = Omit<Workflow, 'id' | keyof Definition | 'activated_at' | 'created_at' | 'updated_at'> & {
  _id: WorkflowId;
  account_id: AccountId;
  trigger_key: string;
  /** What runs of any version can watch for; missing in workflows that earlier versions stored. */
  watch_keys?: string[];
  definition: string;
  activated_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

export function documentOf(accountId: AccountId, workflow: Workflow): WorkflowDocument {
  const { trigger, steps, entry, on_error, exit_when, quiet_hours, max_concurrent, priority, ...rest } = workflow;
  const { id, activated_at, created_at, updated_at, ...members } = rest;
  return {
    _id: id,
    account_id: accountId,
    ...members,
    trigger_key: triggerKey(trigger),
    definition: storedDefinition(definitionOf(workflow)),
    activated_at: activated_at === null ? null : new Date(activated_at),
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
  };
}

export function workflowOf(document: WorkflowDocument): Workflow {
  const { _id, account_id, trigger_key, watch_keys, definition, activated_at, created_at, updated_at, ...members } = document;
  return {
    id: _id,
    ...members,
    ...readDefinition(definition),
    activated_at: activated_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
