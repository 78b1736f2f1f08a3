import type { Transaction } from '@mp/service-kit/mongo';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { Effect, Input } from './run.ts';
import type { StoredRun } from './run-document.ts';
import type { StartRuns } from './start-runs.ts';

export type StartWorkflow = ReturnType<typeof createStartWorkflow>;

type Deps = { workflows: WorkflowsStore; contacts: ContactsStore; startRuns: StartRuns };

/**
 * Starts the run that a `start_workflow` step requests, in the transaction that ends the step. The new run belongs to the same
 * chain of effects, so workflows that start each other stop.
 */
export function createStartWorkflow({ workflows, contacts, startRuns }: Deps) {
  return async function startWorkflow(tx: Transaction, run: StoredRun, effect: Effect & { type: 'start' }): Promise<Input> {
    const { key, workflowId, data } = effect;
    const { account_id: accountId, chain } = run;
    const completed = (refusal: string | null): Input => ({
      type: 'effect_completed',
      ...{ key, status: refusal === null ? 'done' : 'refused', reason: refusal, revision: null },
    });
    const workflow = await workflows.find(accountId, workflowId, tx);
    if (workflow?.status !== 'active') return completed(`The workflow is ${workflow?.status ?? 'deleted'}.`);
    const contactId = await contacts.lockSurvivor(tx, accountId, run.contact_id);
    if (contactId === undefined) return completed('The contact no longer exists.');
    const trigger = { type: 'workflow', event_id: null };
    const entrant = { contactId, key, chain: chain ?? key, data };
    const [entered] = await startRuns(tx, [{ accountId, workflow, trigger, entrant }]);
    if (entered && 'run' in entered) return completed(null);
    return completed(`The entry policy does not admit the contact again; its run is ${entered?.existing}.`);
  };
}
