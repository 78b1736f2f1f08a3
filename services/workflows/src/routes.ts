import type { Keyring } from '@mp/contracts/keyring';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import type { Parts } from '@mp/service-kit/service-parts';
import type { Suspended } from '@mp/service-kit/suspensions';
import { createFindUnknownAttributes } from '@mp/service-kit/unknown-attributes';
import type { Templates } from '@mp/templates/templates';
import { exportWorkflowAnalytics } from './analytics/export-workflow-analytics.ts';
import { getWorkflowAnalytics } from './analytics/get-workflow-analytics.ts';
import { getWorkflowSeries } from './analytics/get-workflow-series.ts';
import type { ReadAnalytics } from './analytics/read-analytics.ts';
import type { ReadWorkflowReport } from './analytics/read-workflow-report.ts';
import type { FetchContact } from './contacts/fetch-contact.ts';
import type { FindContacts } from './contacts/find-contacts.ts';
import { createFindCouponWarnings } from './enrollments/coupon-warnings.ts';
import { getActivation } from './enrollments/get-activation.ts';
import { createChargeRequest } from './hooks/charge-request.ts';
import { getHook } from './hooks/get-hook.ts';
import { receiveHook } from './hooks/receive-hook.ts';
import { actOnRuns } from './runs/act-on-runs.ts';
import type { ApplyInput } from './runs/apply-inputs.ts';
import { cancelRun } from './runs/cancel-run.ts';
import { getRun } from './runs/get-run.ts';
import { listRuns } from './runs/list-runs.ts';
import { moveRuns } from './runs/move-runs.ts';
import { rerunFrom } from './runs/rerun-from.ts';
import { retryRun } from './runs/retry-run.ts';
import { createRunActions } from './runs/run-actions.ts';
import { skipStep } from './runs/skip-step.ts';
import type { StartRuns } from './runs/start-runs.ts';
import { getSettings } from './settings/get-settings.ts';
import { updateSettings } from './settings/update-settings.ts';
import { createPlaySimulation } from './simulations/play-simulation.ts';
import { simulateDraft } from './simulations/simulate-draft.ts';
import { simulateWorkflow } from './simulations/simulate-workflow.ts';
import type { Stores } from './stores.ts';
import { triggerWorkflow } from './triggers/trigger-workflow.ts';
import { getWebhookSecret } from './webhook-steps/get-webhook-secret.ts';
import { decideApproval } from './workflows/approval/decide-approval.ts';
import { getApproval } from './workflows/approval/get-approval.ts';
import { createFindTemplateVersions } from './workflows/approval/template-versions.ts';
import { createWorkflowApprovals } from './workflows/approval/workflow-approvals.ts';
import { createCheckSteps } from './workflows/check-steps.ts';
import { createWorkflow } from './workflows/create-workflow.ts';
import { deleteWorkflow } from './workflows/delete-workflow.ts';
import { createFetchCouponNames, createFetchTemplate, type FetchTemplate } from './workflows/fetch-template.ts';
import { createFitRules } from './workflows/fit-rules.ts';
import { getWorkflow } from './workflows/get-workflow.ts';
import { listVersions } from './workflows/list-versions.ts';
import { listWorkflows } from './workflows/list-workflows.ts';
import { createFindUnknownInSteps } from './workflows/message-warnings.ts';
import { createFindMissingUsers } from './workflows/missing-users.ts';
import { createFindRefusedChanges } from './workflows/refused-changes.ts';
import { moveWorkflows } from './workflows/transition-workflow.ts';
import { updateWorkflow } from './workflows/update-workflow.ts';
import { createFindDetails } from './workflows/workflow-details.ts';
import { createFindWarnings } from './workflows/workflow-warnings.ts';

type Wiring = {
  parts: Pick<Parts, 'mongo' | 'outbox' | 'broker' | 'transact' | 'logger'>;
  stores: Stores;
  keys: Keyring;
  allowPrivate: boolean;
  templates: Templates;
  fetchContact: FetchContact;
  fetchTemplate: FetchTemplate;
  findContacts: FindContacts;
  startRuns: StartRuns;
  applyInput: ApplyInput;
  recheckHeld: () => void;
  suspended: Suspended;
  readAnalytics: ReadAnalytics;
  readWorkflowReport: ReadWorkflowReport;
  clock: Clock;
};

/** Every route of the service, without those of webhooks. */
export function addRoutes(app: Server, { parts, stores, keys, allowPrivate, templates, suspended, clock, ...wiring }: Wiring) {
  const { mongo, outbox, broker, transact, logger } = parts;
  const { workflows, settings, runs, ticks, enrollments, contacts, counts, approvals } = stores;
  const { fetchContact, fetchTemplate, findContacts, startRuns, applyInput, recheckHeld, readAnalytics, readWorkflowReport } = wiring;

  listWorkflows(app, { workflows });
  const findMissingUsers = createFindMissingUsers({ broker });
  const findRefusedChanges = createFindRefusedChanges({ broker, logger });
  const checkSteps = createCheckSteps({
    templates,
    fetchTemplate,
    fetchCouponNames: createFetchCouponNames({ broker }),
    findMissingUsers,
    findRefusedChanges,
    allowPrivate,
  });
  const findUnknownInSteps = createFindUnknownInSteps({
    fetchTemplate: createFetchTemplate({ broker, timeoutMs: 1_000 }),
    findUnknown: createFindUnknownAttributes({ broker, logger, templates }),
  });
  const findDetails = createFindDetails({ runs, enrollments, findWarnings: createFindWarnings({ broker, findUnknownInSteps }) });
  const fitRules = createFitRules({ broker, logger });
  const findTemplateVersions = createFindTemplateVersions(fetchTemplate);
  const workflowApprovals = createWorkflowApprovals({ approvals, settings, findTemplateVersions, outbox, clock });
  createWorkflow(app, { workflows, workflowApprovals, transact, checkSteps, fitRules, findDetails, clock });
  getWorkflow(app, { workflows, findDetails });
  updateWorkflow(app, { workflows, workflowApprovals, transact, checkSteps, fitRules, findDetails, clock });
  deleteWorkflow(app, { workflows, workflowApprovals, runs, transact, clock });
  const moving = { workflows, workflowApprovals, runs, ticks, enrollments, transact, findDetails, clock };
  moveWorkflows(app, moving);
  getApproval(app, { workflows, approvals });
  for (const verb of ['approve', 'reject'] as const) decideApproval(app, verb, { ...moving, approvals });
  const findCouponWarnings = createFindCouponWarnings({ templates, fetchTemplate, broker, clock });
  getActivation(app, { workflows, broker, findCouponWarnings, clock });
  getSettings(app, { settings });
  updateSettings(app, { settings, outbox, transact, clock, recheckHeld });
  listVersions(app, { workflows });
  triggerWorkflow(app, { workflows, contacts, findContacts, startRuns, transact });
  getHook(app, { workflows, keys });
  receiveHook(app, {
    ...{ mongo, keys, workflows, contacts, findContacts, startRuns, suspended },
    chargeRequest: createChargeRequest(broker),
  });
  const play = createPlaySimulation({ workflows, fetchContact, fetchTemplate, templates, broker, clock });
  simulateWorkflow(app, { workflows, play });
  simulateDraft(app, { checkSteps, fitRules, play });
  getWorkflowAnalytics(app, { readAnalytics, readWorkflowReport });
  exportWorkflowAnalytics(app, { readWorkflowReport });
  getWorkflowSeries(app, { workflows, counts, mongo, clock });
  listRuns(app, { workflows, runs, broker });
  getRun(app, { runs, broker });
  const act = createRunActions({ runs, workflows, applyInput });
  cancelRun(app, { runs, act, transact });
  skipStep(app, { runs, act, transact });
  rerunFrom(app, { runs, act, transact });
  moveRuns(app, { workflows, runs, applyInput, transact });
  actOnRuns(app, { workflows, runs, act, transact });
  getWebhookSecret(app, { keys });
  retryRun(app, { runs, act, transact });
}
