import type { AccountId, WorkflowId } from '@mp/ids';
import { newId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Mongo } from '@mp/service-kit/mongo';
import type { CountsStore } from '../counts/counts-store.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { keyed, secondsToGoal, stepCounts } from './step-counts.ts';

type Deps = { workflows: Pick<WorkflowsStore, 'get'>; counts: CountsStore; mongo: Mongo; clock: Clock };

export type ReadAnalytics = ReturnType<typeof createReadAnalytics>;

/** Reads the counts of a workflow's runs, exact, at a cost that does not depend on their number. Throws NOT_FOUND. */
export const createReadAnalytics =
  ({ workflows, counts, mongo, clock }: Deps) =>
  async (accountId: AccountId, id: WorkflowId) => {
    const workflow = await workflows.get(accountId, id);
    const origin = { correlationId: newId('request'), causationId: null };
    const byStep = await mongo.transaction(origin, (tx) => counts.totals(tx, accountId, workflow.id));
    const whole = byStep.get('') ?? {};
    const byState = keyed(whole, 'now');
    const of = (...states: string[]) => states.reduce((sum, state) => sum + (byState.get(state) ?? 0), 0);
    const present = workflow.steps.map((step) => step.id);
    const gone = [...byStep.keys()].filter((step) => step !== '' && !present.includes(step)).sort();
    const analytics = {
      workflow_id: workflow.id,
      counts: {
        entered: of(...byState.keys()),
        open: of('active', 'waiting'),
        completed: of('completed'),
        converted: of('converted'),
        exited: of('exited'),
        failed: of('failed'),
        cancelled: of('cancelled'),
      },
      seconds_to_goal: secondsToGoal(whole),
      steps: [...present, ...gone].map((step) => stepCounts(step, byStep.get(step))),
      as_of: clock().toISOString(),
    };
    return { workflow, analytics };
  };
