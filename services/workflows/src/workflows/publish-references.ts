import { ReferencesChanged } from '@mp/contracts/events/workflows';
import type { AccountId } from '@mp/ids';
import { dependenciesOf } from '@mp/rules/dependencies';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { occurrencesOf, rulesIn } from './occurrences-of.ts';
import type { Workflow } from './workflow.ts';

export type PublishReferences = ReturnType<typeof createPublishReferences>;

/** More segments than an account has. */
const maxSegments = 10_000;

/** Publishes which segments a workflow uses, so that they cannot be deleted, in the transaction that changes the workflow. */
export const createPublishReferences =
  (outbox: Pick<Outbox, 'add'>) =>
  async (tx: Transaction, accountId: AccountId, workflow: Workflow, { gone = false } = {}) => {
    const { id, name, revision, status } = workflow;
    const segment_ids = gone || status === 'archived' ? [] : segmentsOf(workflow).slice(0, maxSegments);
    await outbox.add(tx, ReferencesChanged, accountId, { workflow_id: id, name, revision, segment_ids });
  };

/** The segments that a definition names: in its trigger, in its rules, in what its runs wait for and in steps that add to them or remove. */
export function segmentsOf({ trigger, steps, exit_when }: Pick<Workflow, 'trigger' | 'steps' | 'exit_when'>): string[] {
  const named = rulesIn({ trigger, steps, exit_when }).flatMap(({ rule }) => dependenciesOf(rule).segments);
  const awaited = occurrencesOf({ steps, exit_when }).flatMap(({ occurrence }) =>
    'segment_id' in occurrence ? [occurrence.segment_id] : [],
  );
  const changed = steps.flatMap((step) => ('segment_id' in step ? [step.segment_id] : []));
  return [...new Set([...('segment_id' in trigger ? [trigger.segment_id] : []), ...awaited, ...named, ...changed])];
}
