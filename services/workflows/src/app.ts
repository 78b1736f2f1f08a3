import { AccountChanged } from '@mp/contracts/events/platform';
import { WorkflowsAccountErased } from '@mp/contracts/events/workflows';
import type { Keyring } from '@mp/contracts/keyring';
import { positionRequests } from '@mp/contracts/questions/positions';
import { streams } from '@mp/contracts/streams';
import { createAccountErasure } from '@mp/erasures/account-erasure';
import { createGuardedRequests } from '@mp/guarded-requests/guarded-request';
import type { AccountId } from '@mp/ids';
import { replyWithPosition } from '@mp/service-kit/answer-position';
import type { Clock } from '@mp/service-kit/clock';
import { createServer } from '@mp/service-kit/create-server';
import { callerSignal } from '@mp/service-kit/log-context';
import { type App, outward, type Parts } from '@mp/service-kit/parts';
import { createSuspensions, type Suspended } from '@mp/service-kit/suspensions';
import { createTemplates } from '@mp/templates/templates';
import { createCandidatesStore } from './candidates/candidates-store.ts';
import { createEvaluator, type Evaluator } from './candidates/evaluator.ts';
import { createEffectConsumers, createOccurrenceConsumers } from './consumers.ts';
import { createContactsStore } from './contacts/contacts-store.ts';
import { createFetchContact } from './contacts/fetch-contact.ts';
import { createFindContacts } from './contacts/find-contacts.ts';
import { createCountsStore } from './counts/counts-store.ts';
import { createFolder, type Folder } from './counts/folder.ts';
import { createChargeRequest } from './hooks/charge-request.ts';
import { getHook } from './hooks/get-hook.ts';
import { receiveHook } from './hooks/receive-hook.ts';
import { createApplyJournal } from './journal/apply-journal.ts';
import { createDeliveredStore } from './journal/delivered-store.ts';
import { createAdvanceWithRecent } from './occurrences/advance-with-recent.ts';
import { createAppliedUntil } from './occurrences/applied-until.ts';
import { createOccurToContact } from './occurrences/occur-to-contact.ts';
import { createOccurrencesStore } from './occurrences/occurrences-store.ts';
import { actOnRuns } from './runs/act-on-runs.ts';
import { createAdmissions } from './runs/admissions.ts';
import { createAnnounceFirstMail } from './runs/announce-first-mail.ts';
import { cancelRun } from './runs/cancel-run.ts';
import { createCapacityStore } from './runs/capacity-store.ts';
import { createChangeMember } from './runs/change-member.ts';
import { createClaims } from './runs/claims.ts';
import { createEngine, type Engine } from './runs/engine.ts';
import { createEvaluateBranch } from './runs/evaluate-branch.ts';
import { getRun } from './runs/get-run.ts';
import { listRuns } from './runs/list-runs.ts';
import { createMoveRun } from './runs/move-run.ts';
import { moveRuns } from './runs/move-runs.ts';
import { createRecheckRun } from './runs/recheck-run.ts';
import { rerunFrom } from './runs/rerun-from.ts';
import { retryRun } from './runs/retry-run.ts';
import { createRunActions } from './runs/run-actions.ts';
import { exposeRunMetrics } from './runs/run-metrics.ts';
import { createRunsStore } from './runs/runs-store.ts';
import { skipStep } from './runs/skip-step.ts';
import { createStartRuns } from './runs/start-runs.ts';
import { createStartWorkflow } from './runs/start-workflow.ts';
import { createTrackEvent } from './runs/track-event.ts';
import { createScheduler, type Scheduler } from './schedules/scheduler.ts';
import { createTicksStore } from './schedules/ticks-store.ts';
import { getSettings } from './settings/get-settings.ts';
import { createRecheckHeld } from './settings/recheck-held.ts';
import { createSettingsStore } from './settings/settings-store.ts';
import { updateSettings } from './settings/update-settings.ts';
import { createPlaySimulation } from './simulations/play-simulation.ts';
import { simulateDraft } from './simulations/simulate-draft.ts';
import { simulateWorkflow } from './simulations/simulate-workflow.ts';
import { createChainsStore } from './triggers/chains-store.ts';
import { buildWebhooks } from './webhooks/build-webhooks.ts';
import { type Caller, createCaller } from './webhooks/caller.ts';
import type { Deliverer } from './webhooks/deliveries/deliverer.ts';
import { getWebhookSecret } from './webhooks/get-webhook-secret.ts';
import { reportRequests } from './webhooks/report-requests.ts';
import { createSendWebhook } from './webhooks/send-webhook.ts';
import { createCheckSteps } from './workflows/check-steps.ts';
import { createWorkflow } from './workflows/create-workflow.ts';
import { deleteWorkflow } from './workflows/delete-workflow.ts';
import { createFetchTemplate } from './workflows/fetch-template.ts';
import { createFitBranches } from './workflows/fit-branches.ts';
import { getWorkflow } from './workflows/get-workflow.ts';
import { getWorkflowAnalytics } from './workflows/get-workflow-analytics.ts';
import { getWorkflowSeries } from './workflows/get-workflow-series.ts';
import { listVersions } from './workflows/list-versions.ts';
import { listWorkflows } from './workflows/list-workflows.ts';
import { createFindMissingUsers } from './workflows/missing-users.ts';
import { createPublishReferences } from './workflows/publish-references.ts';
import { createPublishReferencesOnce } from './workflows/publish-references-once.ts';
import { createFindRefusedChanges } from './workflows/refused-changes.ts';
import { moveWorkflows } from './workflows/transition-workflow.ts';
import { triggerWorkflow } from './workflows/trigger-workflow.ts';
import { updateWorkflow } from './workflows/update-workflow.ts';
import { createFindDetails } from './workflows/workflow-details.ts';
import { createFindWarnings } from './workflows/workflow-warnings.ts';
import { createWorkflowsStore } from './workflows/workflows-store.ts';

type Config = {
  NODE_ENV: string;
  WEBHOOK_KEYS: Keyring;
  WEBHOOK_ALLOW_PRIVATE: boolean;
  clock?: Clock;
  leaseMs?: number;
  webhookTimeoutMs?: number;
};

/** Wires the service: stores, routes, consumers and engine. */
export function buildApp(
  parts: Parts,
  config: Config,
): App & {
  engine: Engine;
  caller: Caller;
  scheduler: Scheduler;
  evaluator: Evaluator;
  deliverer: Deliverer;
  folder: Folder;
  suspended: Suspended;
} {
  const { mongo, outbox, transact, cursors, broker, logger, maintenance, metrics } = parts;
  const { clock = () => new Date(), WEBHOOK_ALLOW_PRIVATE: allowPrivate } = config;
  if (allowPrivate && config.NODE_ENV === 'production')
    throw new Error('WEBHOOK_ALLOW_PRIVATE opens the internal network to webhooks and is not allowed in production.');
  const templates = createTemplates({ callerSignal });
  const publishReferences = createPublishReferences(outbox);
  const ticks = createTicksStore(mongo.db);
  const settings = createSettingsStore(mongo.db);
  const workflows = createWorkflowsStore(
    mongo.db,
    cursors,
    async (...written) => {
      await publishReferences(...written);
      await ticks.plan(...written);
    },
    settings,
  );
  const referencesOnce = createPublishReferencesOnce(parts, { workflows, publishReferences });
  const contacts = createContactsStore(mongo.db);
  const runs = createRunsStore(mongo.db, cursors, (err) => logger.warn({ err }, 'cannot wake runs; they continue when they are due'));

  const counts = createCountsStore(mongo.db);
  const folder = createFolder({ mongo, logger, counts });
  const delivered = createDeliveredStore(mongo.db);
  const suspensions = createSuspensions(parts, AccountChanged);
  const holds = (accountId: AccountId) => maintenance || suspensions.has(accountId);

  const findContacts = createFindContacts(contacts, broker);
  const announceFirstMail = createAnnounceFirstMail({ workflows, logger, clock });
  const occurrences = createOccurrencesStore(mongo.db);
  const advanceWithRecent = createAdvanceWithRecent({ occurrences, contacts });
  const startRuns = createStartRuns({ workflows, runs, delivered, advanceWithRecent, outbox, announceFirstMail, clock, holds });
  const moveRun = createMoveRun({ runs, workflows, delivered, advanceWithRecent, outbox, announceFirstMail, clock, holds });
  const recheckRun = createRecheckRun({ workflows, moveRun, holds });
  const recheckHeld = createRecheckHeld({ mongo, logger, settings, runs, recheckRun, clock });
  const occurToContact = createOccurToContact({ workflows, contacts, runs, moveRun, occurrences, clock, holds });
  const requests = createGuardedRequests({ allowPrivate, timeoutMs: config.webhookTimeoutMs });
  const { send } = requests;
  const reporting = { metrics, logger, clock };
  const sendWebhook = createSendWebhook({ keys: config.WEBHOOK_KEYS, clock, send: reportRequests(reporting, 'step', send) });
  const webhooks = buildWebhooks(parts, {
    keys: config.WEBHOOK_KEYS,
    allowPrivate,
    send: reportRequests(reporting, 'delivery', send),
    suspended: suspensions,
    clock,
    leaseMs: config.leaseMs,
  });
  const fetchContact = createFetchContact({ broker });
  const fetchTemplate = createFetchTemplate({ broker });
  const evaluateBranch = createEvaluateBranch({ broker, logger });
  const candidates = createCandidatesStore(mongo.db, clock);
  const evaluator = createEvaluator({
    ...{ mongo, logger, candidates, workflows, contacts, evaluateBranch, startRuns, suspended: suspensions, clock },
  });
  const startWorkflow = createStartWorkflow({ workflows, contacts, startRuns });
  const chains = createChainsStore(mongo.db);
  const trackEvent = createTrackEvent({ outbox, chains, clock });
  const claims = createClaims(mongo.db);
  const moving = { mongo, logger, runs, claims, workflows, moveRun, suspended: suspensions, clock, leaseMs: config.leaseMs };
  const changeMember = createChangeMember({ broker });
  const occurrenceConsumers = createOccurrenceConsumers(parts, {
    ...{ workflows, contacts, runs, occurrences, candidates, chains, delivered, erased: webhooks.erased },
    ...{ startRuns, moveRun, recheckRun, occurToContact, clock },
  });
  const appliedUntil = createAppliedUntil({ broker, consumers: occurrenceConsumers, logger, clock });
  const engine = createEngine({ ...moving, appliedUntil, evaluateBranch, fetchContact, changeMember, startWorkflow, trackEvent });
  const capacity = createCapacityStore(mongo.db);
  const admissions = createAdmissions({ mongo, logger, runs, capacity, workflows, moveRun, suspended: suspensions });
  const caller = createCaller({ ...moving, delivered, fetchContact, sendWebhook });
  const scheduler = createScheduler({ mongo, logger, broker, ticks, workflows, contacts, startRuns, suspended: suspensions, clock });

  const accountErasure = createAccountErasure(parts, WorkflowsAccountErased);
  exposeRunMetrics(metrics, { claims, ticks, suspended: suspensions, clock });

  const app = createServer(parts);
  app.addHook('onClose', templates.stop);
  listWorkflows(app, { workflows });
  const findMissingUsers = createFindMissingUsers({ broker });
  const findRefusedChanges = createFindRefusedChanges({ broker, logger });
  const checkSteps = createCheckSteps({ templates, fetchTemplate, findMissingUsers, findRefusedChanges, allowPrivate });
  const findDetails = createFindDetails({ runs, findWarnings: createFindWarnings({ broker }) });
  const fitBranches = createFitBranches({ broker, logger });
  createWorkflow(app, { workflows, transact, checkSteps, fitBranches, findDetails, clock });
  getWorkflow(app, { workflows, findDetails });
  updateWorkflow(app, { workflows, transact, checkSteps, fitBranches, findDetails, clock });
  deleteWorkflow(app, { workflows, runs, transact, clock });
  moveWorkflows(app, { workflows, runs, transact, findDetails, clock });
  getSettings(app, { settings });
  updateSettings(app, { settings, transact, clock, recheckHeld: recheckHeld.wake });
  listVersions(app, { workflows });
  triggerWorkflow(app, { workflows, contacts, findContacts, startRuns, transact });
  getHook(app, { workflows, keys: config.WEBHOOK_KEYS });
  receiveHook(app, {
    ...{ mongo, keys: config.WEBHOOK_KEYS, workflows, contacts, findContacts, startRuns, suspended: suspensions },
    chargeRequest: createChargeRequest(broker),
  });
  const play = createPlaySimulation({ workflows, fetchContact, fetchTemplate, templates, broker, clock });
  simulateWorkflow(app, { workflows, play });
  simulateDraft(app, { checkSteps, fitBranches, play });
  getWorkflowAnalytics(app, { workflows, counts, mongo, clock });
  getWorkflowSeries(app, { workflows, counts, mongo, clock });
  listRuns(app, { workflows, runs, broker });
  getRun(app, { runs, broker });
  const act = createRunActions({ runs, workflows, moveRun });
  cancelRun(app, { runs, act, transact });
  skipStep(app, { runs, act, transact });
  rerunFrom(app, { runs, act, transact });
  moveRuns(app, { workflows, runs, moveRun, transact });
  actOnRuns(app, { workflows, runs, act, transact });
  getWebhookSecret(app, { keys: config.WEBHOOK_KEYS });
  retryRun(app, { runs, act, transact });
  webhooks.addRoutes(app);

  return {
    app,
    engine,
    caller,
    scheduler,
    evaluator,
    folder,
    deliverer: webhooks.deliverer,
    suspended: suspensions,
    prepare: async () => {
      await workflows.prepare();
      await referencesOnce.prepare();
      await settings.prepare();
      await runs.prepare();
      await capacity.prepare();
      await counts.prepare();
      await contacts.prepare();
      await occurrences.prepare();
      await ticks.prepare();
      await chains.prepare();
      await candidates.prepare();
      await delivered.prepare();
      await suspensions.prepare();
      await webhooks.prepare();
    },
    consumers: [
      accountErasure.consumer,
      suspensions.consumer,
      ...occurrenceConsumers,
      ...createEffectConsumers(parts, { runs, workflows, moveRun, holds }),
      ...webhooks.consumers,
    ],
    answers: [replyWithPosition(parts, positionRequests.workflows, streams.workflows)],
    applyJournal: createApplyJournal({ runs, delivered, applyDelivered: webhooks.applyDelivered, clock }),
    background: [
      accountErasure.background,
      suspensions,
      outward(engine),
      outward(recheckHeld),
      outward(admissions),
      outward(caller),
      outward(scheduler),
      outward(evaluator),
      folder,
      referencesOnce,
      ...webhooks.background,
      { start: () => undefined, stop: () => requests.stop() },
    ],
  };
}
