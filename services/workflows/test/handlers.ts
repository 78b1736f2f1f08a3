import type { TestContext } from 'node:test';
import type { AccountId } from '@mp/ids';
import type { EventHandler } from '@mp/service-kit/consume';
import { testParts } from '@mp/test-kit/test-parts';
import type { z } from 'zod';
import { onContactChanged } from '../src/contacts/on-contact-changed.ts';
import { createAdvanceWithRecent } from '../src/occurrences/advance-with-recent.ts';
import { createApplyContactEvents } from '../src/occurrences/apply-contact-events.ts';
import { onFormSubmitted } from '../src/occurrences/on-form-submitted.ts';
import { onMessageEngaged } from '../src/occurrences/on-message-engaged.ts';
import { onContactEffectCompleted, onNotifyEffectCompleted, onSendEffectCompleted } from '../src/runs/on-effect-completed.ts';
import { createRecheckRuns } from '../src/runs/recheck-runs.ts';
import { createRunSteps } from '../src/runs/run-steps.ts';
import { createStores } from '../src/stores.ts';
import { onEventAttributed, onEventTracked } from '../src/triggers/on-event-tracked.ts';
import { onMembershipChanged } from '../src/triggers/on-membership-changed.ts';
import { createFindApprovedTemplates } from '../src/workflows/approval/approved-templates.ts';
import { CreateWorkflowBody, newWorkflow, type Workflow } from '../src/workflows/workflow.ts';

/** The handlers of the consumers of what happens to contacts and of the results of effects, without the consumers, on a database and a clock of their own. */
export async function handlersOf(t: TestContext, clock: () => Date) {
  const parts = await testParts(t, 'workflows', { monitorCommands: true });
  const { mongo, outbox } = parts;
  const stores = createStores(parts, { publishReferences: async () => undefined, clock });
  await stores.prepare();
  const { workflows, contacts, runs, occurrences } = stores;
  const advanceWithRecent = createAdvanceWithRecent({ occurrences, contacts });
  const logFirstEmail = () => undefined;
  const holds = () => false;
  const findApprovedTemplates = createFindApprovedTemplates(stores);
  const { startRuns, applyInputs, applyInput } = createRunSteps({
    ...{ ...stores, findApprovedTemplates, advanceWithRecent, outbox, logFirstEmail, clock, holds },
  });
  const applyContactEvents = createApplyContactEvents({ ...stores, startRuns, applyInputs, clock, holds });
  const recheckRuns = createRecheckRuns({ workflows, applyInputs, holds });
  const handlers: EventHandler[] = [
    ...onContactChanged({ contacts, runs, occurrences, applyInput, recheckRuns, applyContactEvents }),
    ...onMembershipChanged({ workflows, applyContactEvents }),
    ...onFormSubmitted({ workflows, applyContactEvents }),
    ...onMessageEngaged({ workflows, applyContactEvents }),
    onEventTracked({ workflows, applyContactEvents }),
    onEventAttributed({ workflows, applyContactEvents }),
    ...[onContactEffectCompleted, onNotifyEffectCompleted, onSendEffectCompleted].map((on) => on({ runs, workflows, applyInputs })),
  ];
  const insert = async (accountId: AccountId, ...added: readonly Workflow[]) => {
    for (const workflow of added)
      await mongo.transaction({ correlationId: workflow.id, causationId: null }, (tx) => workflows.insert(tx, accountId, workflow));
  };
  return { parts, mongo, stores, handlers, insert };
}

/** A workflow that is active since then. */
export const workflowSince = (since: Date, body: Partial<z.input<typeof CreateWorkflowBody>>): Workflow =>
  newWorkflow(CreateWorkflowBody.parse({ name: 'W', trigger: { type: 'manual' }, steps: [{ id: 'end', type: 'exit' }], ...body }), since);
