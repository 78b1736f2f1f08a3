import { AccountChanged } from '@mp/contracts/events/platform';
import { WorkflowsAccountErased } from '@mp/contracts/events/workflows';
import type { Keyring } from '@mp/contracts/keyring';
import { nameRequests } from '@mp/contracts/requests/names';
import { positionRequests } from '@mp/contracts/requests/positions';
import { streams } from '@mp/contracts/streams';
import { createAccountErasure } from '@mp/erasures/account-erasure';
import { createGuardedRequests } from '@mp/guarded-requests/guarded-request';
import type { AccountId } from '@mp/ids';
import { trustedId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import { createServer } from '@mp/service-kit/create-server';
import { callerSignal } from '@mp/service-kit/log-context';
import { outward } from '@mp/service-kit/maintenance';
import { replyWithPosition } from '@mp/service-kit/reply-position';
import { replyWithName } from '@mp/service-kit/reply-with-name';
import type { App, Parts } from '@mp/service-kit/service-parts';
import { createSuspensions, type Suspended } from '@mp/service-kit/suspensions';
import { createTemplates } from '@mp/templates/templates';
import { createReadAnalytics } from './analytics/read-analytics.ts';
import { createReadWorkflowReport } from './analytics/read-workflow-report.ts';
import { replyWithWorkflowReport } from './analytics/reply-with-report.ts';
import { createEvaluator, type Evaluator } from './candidates/evaluator.ts';
import { createEffectConsumers, createImportConsumer, createOccurrenceConsumers, createSettingsConsumer } from './consumers.ts';
import { createFetchContact } from './contacts/fetch-contact.ts';
import { createFindContacts } from './contacts/find-contacts.ts';
import { type CountsWorker, createCountsWorker } from './counts/counts-worker.ts';
import { createApplyJournal } from './journal/apply-journal.ts';
import { createAdvanceWithRecent } from './occurrences/advance-with-recent.ts';
import { createAppliedUntil } from './occurrences/applied-until.ts';
import { createApplyContactEvents } from './occurrences/apply-contact-events.ts';
import { reportRequests } from './receivers/report-requests.ts';
import { addRoutes } from './routes.ts';
import { createCapacityWorker } from './runs/capacity-worker.ts';
import { createChangeMember } from './runs/change-member.ts';
import { createClaims } from './runs/claims.ts';
import { createEngine, type Engine } from './runs/engine.ts';
import { createEvaluateBranch } from './runs/evaluate-branch.ts';
import { createLogFirstEmail } from './runs/log-first-email.ts';
import { createRecheckRuns } from './runs/recheck-runs.ts';
import { exposeRunMetrics } from './runs/run-metrics.ts';
import { createRunSteps } from './runs/run-steps.ts';
import { createScheduler, type Scheduler } from './schedules/scheduler.ts';
import { createRecheckHeld } from './settings/recheck-held.ts';
import { createStores } from './stores.ts';
import { replyStartRuns } from './triggers/reply-start-runs.ts';
import { createSendWebhook } from './webhook-steps/send-webhook.ts';
import { createWebhookCaller, type WebhookCaller } from './webhook-steps/webhook-caller.ts';
import { buildWebhooks } from './webhooks/build-webhooks.ts';
import type { Deliverer } from './webhooks/deliveries/deliverer.ts';
import { createFindApprovedTemplates } from './workflows/approval/approved-templates.ts';
import { createFetchTemplate } from './workflows/fetch-template.ts';
import { createPublishReferences } from './workflows/publish-references.ts';
import { createPublishReferencesOnce } from './workflows/publish-references-once.ts';

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
  webhookCaller: WebhookCaller;
  scheduler: Scheduler;
  evaluator: Evaluator;
  deliverer: Deliverer;
  countsWorker: CountsWorker;
  suspended: Suspended;
} {
  const { mongo, outbox, broker, logger, maintenance, metrics } = parts;
  const { clock = () => new Date(), WEBHOOK_ALLOW_PRIVATE: allowPrivate } = config;
  if (allowPrivate && config.NODE_ENV === 'production')
    throw new Error('WEBHOOK_ALLOW_PRIVATE opens the internal network to webhooks and is not allowed in production.');
  const templates = createTemplates({ callerSignal });
  const publishReferences = createPublishReferences(outbox);
  const stores = createStores(parts, { publishReferences, clock });
  const { workflows, settings, runs, capacity, contacts, occurrences, ticks, enrollments, chains, candidates, delivered } = stores;
  const { cancelledImports } = stores;
  const referencesOnce = createPublishReferencesOnce(parts, { workflows, publishReferences });
  const countsWorker = createCountsWorker({ mongo, logger, counts: stores.counts });
  const suspensions = createSuspensions(parts, AccountChanged);
  const holds = (accountId: AccountId) => maintenance || suspensions.has(accountId);

  const findContacts = createFindContacts(contacts, broker);
  const logFirstEmail = createLogFirstEmail({ workflows, logger, clock });
  const advanceWithRecent = createAdvanceWithRecent({ occurrences, contacts });
  const findApprovedTemplates = createFindApprovedTemplates(stores);
  const { startRuns, applyInputs, applyInput, takeInner } = createRunSteps({
    ...{ workflows, runs, contacts, chains, delivered, findApprovedTemplates, advanceWithRecent, outbox, logFirstEmail, clock, holds },
  });
  const recheckRuns = createRecheckRuns({ workflows, applyInputs, holds });
  const recheckHeld = createRecheckHeld({ mongo, logger, settings, runs, recheckRuns, clock });
  const applyContactEvents = createApplyContactEvents({
    ...{ workflows, contacts, runs, occurrences, candidates, chains, cancelledImports, startRuns, applyInputs, clock, holds },
  });
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
  const evaluator = createEvaluator({
    ...{ mongo, logger, candidates, workflows, contacts, evaluateBranch, startRuns, cancelledImports, suspended: suspensions, clock },
  });
  const claims = createClaims(mongo.db);
  const moving = { mongo, logger, runs, claims, workflows, suspended: suspensions, clock, leaseMs: config.leaseMs };
  const changeMember = createChangeMember({ broker });
  const occurrenceConsumers = createOccurrenceConsumers(parts, {
    ...{ workflows, contacts, runs, occurrences, candidates, delivered, erased: webhooks.erased },
    ...{ applyInput, recheckRuns, applyContactEvents, clock },
  });
  const appliedUntil = createAppliedUntil({ broker, consumers: occurrenceConsumers, logger, clock });
  const engine = createEngine({ ...moving, applyInputs, appliedUntil, evaluateBranch, fetchContact, changeMember, takeInner });
  const capacityWorker = createCapacityWorker({ mongo, logger, runs, capacity, workflows, applyInput, suspended: suspensions });
  const webhookCaller = createWebhookCaller({ ...moving, applyInput, delivered, fetchContact, sendWebhook });
  const scheduler = createScheduler({
    ...{ mongo, logger, broker, ticks, enrollments, runs, candidates, workflows, contacts, startRuns, suspended: suspensions, clock },
  });

  const accountErasure = createAccountErasure(parts, WorkflowsAccountErased);
  exposeRunMetrics(metrics, { claims, ticks, suspended: suspensions, clock });

  const readAnalytics = createReadAnalytics({ workflows, counts: stores.counts, mongo, clock });
  const readWorkflowReport = createReadWorkflowReport({ readAnalytics, broker });

  const app = createServer(parts);
  app.addHook('onClose', templates.stop);
  addRoutes(app, {
    ...{ parts, stores, keys: config.WEBHOOK_KEYS, allowPrivate, templates, fetchContact, fetchTemplate, findContacts },
    ...{ startRuns, applyInput, recheckHeld: recheckHeld.wake, suspended: suspensions, readAnalytics, readWorkflowReport, clock },
  });
  webhooks.addRoutes(app);

  return {
    app,
    engine,
    webhookCaller,
    scheduler,
    evaluator,
    countsWorker,
    deliverer: webhooks.deliverer,
    suspended: suspensions,
    prepare: async () => {
      await stores.prepare();
      await referencesOnce.prepare();
      await suspensions.prepare();
      await webhooks.prepare();
    },
    consumers: [
      accountErasure.consumer,
      suspensions.consumer,
      createImportConsumer(parts, { cancelledImports }),
      ...occurrenceConsumers,
      ...createEffectConsumers(parts, { runs, workflows, applyInputs, holds }),
      createSettingsConsumer(parts, { settings, recheckHeld: recheckHeld.wake, clock }),
      ...webhooks.consumers,
    ],
    replies: [
      replyWithPosition(parts, positionRequests.workflows, streams.workflows),
      replyWithWorkflowReport(broker, { readWorkflowReport }),
      replyWithName(broker, nameRequests.workflow, (account, id) => workflows.get(account, trustedId<'workflow'>(id))),
      replyStartRuns({ mongo, broker, workflows, contacts, runs, startRuns, clock }),
    ],
    applyJournal: createApplyJournal({ runs, delivered, applyDelivered: webhooks.applyDelivered, clock }),
    background: [
      accountErasure.background,
      suspensions,
      outward(engine),
      outward(recheckHeld),
      outward(capacityWorker),
      outward(webhookCaller),
      outward(scheduler),
      outward(evaluator),
      countsWorker,
      referencesOnce,
      ...webhooks.background,
      { start: () => undefined, stop: () => requests.stop() },
    ],
  };
}
