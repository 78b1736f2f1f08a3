import { WorkflowRunsStart } from '@mp/contracts/requests/workflows';
import type { ContactId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Clock } from '@mp/service-kit/clock';
import { isDuplicateKey, type Mongo, type Transaction } from '@mp/service-kit/mongo';
import type { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { admit } from '../runs/entry-policy.ts';
import type { Start } from '../runs/new-run.ts';
import type { RunsStore } from '../runs/runs-store.ts';
import type { StartRuns } from '../runs/start-runs.ts';
import { sendersOf } from '../workflows/require-send-permission.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';

type Deps = {
  mongo: Mongo;
  broker: Broker;
  workflows: Pick<WorkflowsStore, 'find'>;
  contacts: Pick<ContactsStore, 'lockSurvivors'>;
  runs: Pick<RunsStore, 'taken' | 'enteredBy'>;
  startRuns: StartRuns;
  clock: Clock;
};

type StartRequest = z.output<typeof WorkflowRunsStart.request>;
type Reply = z.output<typeof WorkflowRunsStart.reply>;

const refusedBecause = (refused: string): Reply => ({ refused, senders: [], items: [] });

/** Starts runs for the contacts of a bulk job: one for each and job, however often the job asks. */
export const replyStartRuns =
  ({ mongo, broker, workflows, contacts, runs, startRuns, clock }: Deps) =>
  () => {
    async function begin(tx: Transaction, { account_id, workflow_id, contact_ids, by, dry_run }: StartRequest): Promise<Reply> {
      const workflow = await workflows.find(account_id, workflow_id, tx);
      if (!workflow) return refusedBecause('No workflow has this ID.');
      if (workflow.status !== 'active') return refusedBecause(`The workflow is ${workflow.status}; activate it first.`);
      // A contact that was merged in the meantime enters as the survivor.
      const survivors = await contacts.lockSurvivors(
        tx,
        contact_ids.map((contactId) => ({ accountId: account_id, contactId })),
      );
      const entering = [...new Set(survivors.values())];
      const key = `bulk ${by}`;
      const before = await runs.enteredBy(tx, { accountId: account_id, workflowId: workflow_id, contactIds: entering, key });
      const fresh = entering.filter((id) => !before.has(id));
      const trigger = { type: 'bulk', event_id: null };
      const starts: Start[] = fresh.map((contactId) => ({ accountId: account_id, workflow, trigger, entrant: { contactId, key } }));
      const entered = dry_run ? await admit(runs, tx, starts, clock()) : await startRuns(tx, starts);
      const started = new Set<ContactId>([...before, ...fresh.filter((_, index) => entered[index] && !('existing' in entered[index]))]);
      const items = contact_ids.map((contact_id) => {
        const survivor = survivors.get(contact_id);
        const status =
          survivor === undefined ? ('not_found' as const) : started.has(survivor) ? ('started' as const) : ('not_admitted' as const);
        return { contact_id, status };
      });
      return { refused: null, senders: await sendersOf(workflows, account_id, workflow.steps, tx), items };
    }

    return broker.reply(WorkflowRunsStart, (request) => {
      const start = () =>
        mongo.transaction({ correlationId: request.by, causationId: null, lane: request.lane }, (tx) => begin(tx, request));
      // An event started a run for one of them at the same time; the second attempt finds it.
      return start().catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return start();
      });
    });
  };
