import { CampaignsAccountErased } from '@mp/contracts/events/campaigns';
import { AccountChanged } from '@mp/contracts/events/platform';
import { positionRequests } from '@mp/contracts/questions/positions';
import { streams } from '@mp/contracts/streams';
import { createAccountErasure } from '@mp/erasures/account-erasure';
import { createGuardedRequests } from '@mp/guarded-requests/guarded-request';
import { replyWithPosition } from '@mp/service-kit/answer-position';
import { createServer } from '@mp/service-kit/create-server';
import { callerSignal } from '@mp/service-kit/log-context';
import { type App, outward, type Parts } from '@mp/service-kit/parts';
import { createSuspensions } from '@mp/service-kit/suspensions';
import { createTemplates } from '@mp/templates/templates';
import { createWinnerWorker } from './ab-tests/winner-worker.ts';
import { createReadReport } from './analytics/report.ts';
import { createFinishCampaign } from './campaigns/finish-campaign.ts';
import { createPublishAudience } from './campaigns/publish-audience.ts';
import { createPublishAudiencesOnce } from './campaigns/publish-audiences-once.ts';
import { createRecordOverridesOnce } from './campaigns/record-overrides-once.ts';
import { createScheduleChecker } from './campaigns/schedule-checker.ts';
import type { CampaignsConfig } from './config.ts';
import { createConsumers, createContactConsumers } from './consumers.ts';
import { createEraser } from './contactables/eraser.ts';
import { createFindMailable } from './contactables/mailable-contacts.ts';
import { createCountStatesOnce } from './engagements/count-states-once.ts';
import { createCounter } from './engagements/counter.ts';
import { createRecordEngagement } from './engagements/record-engagement.ts';
import { createRecordFeedback } from './feedback/record-feedback.ts';
import { createFindAudienceMoment } from './freezing/audience-moment.ts';
import { createAudiencePages } from './freezing/audience-pages.ts';
import { createFreezer } from './freezing/freezer.ts';
import { createRequireSegments } from './freezing/segments-exist.ts';
import { createApplyJournal } from './journal/apply-journal.ts';
import { createIdentifyVisitor } from './links/identify-visitor.ts';
import { createLinkChecker, linkTimeoutMs } from './links/link-checker.ts';
import { createLinksOfRow } from './links/links-of-row.ts';
import { createMailbox } from './mailbox/mailbox.ts';
import { createFindMessageRecipients } from './messages/find-message-recipients.ts';
import { createReadMessage } from './messages/read-message.ts';
import { createPreferences } from './preferences/preferences.ts';
import { createAssumeDelivered } from './recipients/assume-delivered.ts';
import { createLeaseReaper } from './recipients/lease-reaper.ts';
import { createOldestQueued } from './recipients/oldest-queued.ts';
import { createRecordOutcomes } from './recipients/record-outcomes.ts';
import { createRestoredRows } from './recipients/restored-rows.ts';
import { createSettleDelivered } from './recipients/settle-delivered.ts';
import { createBounceServer } from './reports/bounce-server.ts';
import { addRoutes } from './routes.ts';
import { createFindUnverified, createFindWarnings, createRequireSender, type FindFault } from './senders/require-sender.ts';
import { countAttempts, createMessageCounter } from './sending/campaign-metrics.ts';
import { createComposeMails } from './sending/compose-mails.ts';
import { createDomainGate } from './sending/domain-gate.ts';
import { createPrepareBatch } from './sending/prepare-batch.ts';
import { createSender, maxClaimedMs } from './sending/sender.ts';
import { createSmtp } from './sending/smtp-connections.ts';
import { createSmtpServers, mailServersOf } from './sending/smtp-servers.ts';
import { defaultTimings } from './sending/timings.ts';
import { createRecheckWaiting } from './settings/recheck-waiting.ts';
import { createStores } from './stores.ts';
import { replyWithTemplate } from './templates/answer-template.ts';
import { createCheckContent } from './templates/check-content.ts';
import { createCompileContent } from './templates/compile-content.ts';
import { createRequireValidTemplates } from './templates/require-valid-templates.ts';
import { createWithTemplate } from './templates/with-template.ts';

/** Wires the stores, workers, routes and consumers of the service. Without a mail server, email stays in the local mailbox. */
export function buildApp(parts: Parts, config: CampaignsConfig): App {
  const { mongo, outbox, broker, logger, metrics } = parts;
  const { LINK_KEYS: linkKeys, PUBLIC_URL: publicUrl, SMTP_CONNECTIONS: connections } = config;
  const mailServers = mailServersOf(config.SMTP_SERVERS ?? config.SMTP_URL ?? '') ?? [];
  const timings = { ...defaultTimings, ...config.timings };
  const publishAudience = createPublishAudience(outbox);
  const stores = createStores({ ...parts, publishAudience }, config);
  const { campaigns, campaignsQueue, recipients, queue, contactables, erasures, suppressions, contents, attachments } = stores;
  const { engagements, settings, counters, senders, tests } = stores;
  const audiencesOnce = createPublishAudiencesOnce(parts, publishAudience);
  const statesOnce = createCountStatesOnce(parts);
  const overridesOnce = createRecordOverridesOnce(parts, stores.templates);
  const suspensions = createSuspensions(parts, AccountChanged);

  const findMailable = createFindMailable({ contactables, suppressions, broker });
  const templates = createTemplates({ callerSignal });
  const requireValidTemplates = createRequireValidTemplates(templates);
  const compileContent = createCompileContent(templates, requireValidTemplates);
  const checkContent = createCheckContent(compileContent, requireValidTemplates, stores.templates);
  const withTemplate = createWithTemplate(stores.templates);
  const requireSegments = createRequireSegments(broker);
  const audiencePages = createAudiencePages(broker);
  const onSettled = createMessageCounter(metrics);
  const recordOutcomes = createRecordOutcomes({ mongo, queue, suppressions, outbox, onSettled });
  const settleDelivered = createSettleDelivered({ recipients, outbox, onSettled });
  const feedback = createRecordFeedback({ mongo, recipients, suppressions, outbox, onSettled });
  const recordEngagement = createRecordEngagement({ mongo, outbox, engagements, contactables, suppressions, settleDelivered });
  const preferences = createPreferences({ mongo, outbox, contents, settings, suppressions, findMailable, recordEngagement });
  const readReport = createReadReport({ settings, mongo, campaigns, counters, contents });
  const finishCampaign = createFinishCampaign({ mongo, campaigns, recipients });

  const mailbox = mailServers.length === 0 ? createMailbox({ dir: config.MAILBOX_DIR, page: `${publicUrl}/t/mailbox`, logger }) : undefined;
  const smtpAt = (url: () => Promise<string>) => createSmtp({ url, connections, deliveryMs: timings.deliveryMs, logger });
  const smtp = countAttempts(
    metrics,
    mailServers.length <= 1
      ? smtpAt(async () => mailServers[0]?.url ?? (await mailbox?.url()) ?? '')
      : createSmtpServers(
          mailServers.map(({ url, weight }) => ({ smtp: smtpAt(async () => url), weight, name: new URL(url).host })),
          { logger },
        ),
  );
  const bounceDomain = config.BOUNCE_DOMAIN;
  const findUnverified = createFindUnverified(senders);
  const findRefusedSender: FindFault = config.REQUIRE_VERIFIED_SENDERS ? findUnverified : async () => undefined;
  const requireSender = createRequireSender(findRefusedSender);
  const bounceServer =
    bounceDomain && createBounceServer({ domain: bounceDomain, port: config.BOUNCE_PORT ?? 2525 }, { linkKeys, feedback, logger });
  const composeMails = createComposeMails({ templates, linkKeys, publicUrl, senders, bounceDomain, lane: 'mails' });
  const composeAgain = createComposeMails({ templates, linkKeys, publicUrl, lane: 'asked' });
  const linksOfRow = createLinksOfRow({ mongo, contactables, findMailable, composeMails: composeAgain, recipients });
  const findMessageRecipients = createFindMessageRecipients({ findMailable, suppressions, broker });
  const gate = createDomainGate({ connections, rest: timings.domainRest, slowMs: timings.slowDomainMs });
  const prepareBatch = createPrepareBatch({
    findMailable,
    findMessageRecipients,
    contents,
    attachments,
    composeMails,
    settings,
    recipients,
    throttles: stores.throttles,
    gate,
    maxDomainWaitMs: timings.maxDomainWaitMs,
  });
  const readMessage = createReadMessage({ templates: stores.templates, compileContent, findMailable, broker, attachments, requireSender });
  const sender = createSender(
    {
      campaigns: campaignsQueue,
      queue,
      prepareBatch,
      recordOutcomes,
      smtp,
      gate,
      onNothingDue: finishCampaign,
      suspended: suspensions,
      logger,
    },
    { slots: Math.max(1, mailServers.length) * connections * 3, ...timings },
  );
  metrics.gauges(
    'campaign_oldest_queued_email_seconds',
    'Age of the oldest email that could be sent now and was not, by kind: message, workflow or campaign (throttled ones excluded).',
    'kind',
    createOldestQueued({ db: mongo.db, campaigns: campaignsQueue, queue, suspended: suspensions }),
  );
  const eraser = createEraser({ mongo, recipients, engagements, attachments, contents, erasures, outbox, logger });
  const contactConsumers = createContactConsumers(parts, { stores, settleDelivered, wakeEraser: eraser.wake, onDue: sender.wake });
  const recheckWaiting = createRecheckWaiting({ settings, queue, maxClaimedMs: maxClaimedMs(timings), onDue: sender.wake, logger });
  const freezer = createFreezer({
    mongo,
    campaigns,
    templates: stores.templates,
    campaignsQueue,
    recipients,
    counters,
    audiencePages,
    findMailable,
    findAudienceMoment: createFindAudienceMoment(broker, contactConsumers),
    requireSegments,
    requireSender,
    leaseMs: timings.freezeLeaseMs,
    onReady: sender.wake,
    suspended: suspensions,
    logger,
  });
  const winnerWorker = createWinnerWorker({ mongo, tests, counters, onReleased: sender.wake, suspended: suspensions, logger });
  const wake = () => {
    freezer.wake();
    winnerWorker.wake();
    sender.wake();
  };

  const accountErasure = createAccountErasure(parts, CampaignsAccountErased);

  const app = createServer(parts);
  app.addHook('onClose', templates.stop);
  const linkRequests = createGuardedRequests({ allowPrivate: false, timeoutMs: linkTimeoutMs });
  app.addHook('onClose', linkRequests.stop);
  addRoutes(app, {
    ...{ parts, config, stores, templates, checkContent, compileContent, requireValidTemplates, withTemplate, mailbox },
    ...{ requireSegments, requireSender, audiencePages, findMailable, readMessage, readReport, feedback, linksOfRow },
    identifyVisitor: createIdentifyVisitor({ broker, logger }),
    checkLinks: createLinkChecker({ send: config.requestLinks ?? linkRequests.send }),
    findWarnings: createFindWarnings(findUnverified),
    ...{ recordEngagement, preferences, dryRunMs: timings.dryRunMs, wake, recheckWaiting: recheckWaiting.wake },
  });

  return {
    app,
    prepare: async () => {
      await stores.prepare();
      for (const part of [suspensions, audiencesOnce, statesOnce, overridesOnce, feedback]) await part.prepare();
    },
    consumers: [
      accountErasure.consumer,
      ...contactConsumers,
      suspensions.consumer,
      ...createConsumers(parts, { stores, findRefusedSender, wake }),
    ],
    answers: [
      replyWithPosition(parts, positionRequests.campaigns, streams.campaigns),
      replyWithTemplate(broker, { templates: stores.templates }),
    ],
    applyJournal: createApplyJournal({ mongo, outbox, campaigns, rows: createRestoredRows(mongo.db) }),
    background: [
      accountErasure.background,
      ...(mailbox ? [mailbox] : []),
      ...(bounceServer ? [outward(bounceServer)] : []),
      suspensions,
      audiencesOnce,
      outward(freezer),
      createScheduleChecker({
        mongo,
        outbox,
        requireSegments,
        requireSender,
        everyMs: timings.checkEveryMs,
        suspended: suspensions,
        logger,
      }),
      outward(sender),
      recheckWaiting,
      eraser,
      outward(createLeaseReaper({ queue, recordOutcomes, everyMs: timings.reapEveryMs, logger })),
      createCounter({ counters, logger }),
      statesOnce,
      overridesOnce,
      outward(winnerWorker),
      createAssumeDelivered({ mongo, settings, outbox, onSettled, logger }),
    ],
  };
}
