import { CampaignsAccountErased } from '@mp/contracts/events/campaigns';
import { AccountChanged } from '@mp/contracts/events/platform';
import { backlogRequests } from '@mp/contracts/requests/backlogs';
import { nameRequests } from '@mp/contracts/requests/names';
import { positionRequests } from '@mp/contracts/requests/positions';
import { streams } from '@mp/contracts/streams';
import { createAccountErasure } from '@mp/erasures/account-erasure';
import { createGuardedRequests } from '@mp/guarded-requests/guarded-request';
import { trustedId } from '@mp/ids';
import { createServer } from '@mp/service-kit/create-server';
import { callerSignal } from '@mp/service-kit/log-context';
import { outward } from '@mp/service-kit/maintenance';
import { replyWithBacklog } from '@mp/service-kit/reply-backlog';
import { replyWithPosition } from '@mp/service-kit/reply-position';
import { replyWithName } from '@mp/service-kit/reply-with-name';
import type { App, Parts } from '@mp/service-kit/service-parts';
import { createSuspensions } from '@mp/service-kit/suspensions';
import { createFindUnknownAttributes } from '@mp/service-kit/unknown-attributes';
import { createTemplates } from '@mp/templates/templates';
import { createReadMessages } from './analytics/read-messages.ts';
import { replyWithCampaignReport, replyWithWorkflowEmails } from './analytics/reply-with-reports.ts';
import { createReadReport } from './analytics/report.ts';
import { createFindAudienceMoment } from './audience/audience-moment.ts';
import { createAudiencePages } from './audience/audience-pages.ts';
import { createEraser } from './audience/contactables/eraser.ts';
import { createFindMailable } from './audience/contactables/mailable-contacts.ts';
import { createFreezeAudience } from './audience/freeze-audience.ts';
import { createRequireSegments } from './audience/require-segments.ts';
import { createFindWarnings } from './campaigns/campaign-warnings.ts';
import { createCampaignWorker } from './campaigns/campaign-worker.ts';
import { createCheckContent } from './campaigns/check-content.ts';
import { createConsentWarnings } from './campaigns/consent-warnings.ts';
import { createCouponWarnings } from './campaigns/coupon-warnings.ts';
import { createFinishCampaign } from './campaigns/finish-campaign.ts';
import { createPublishAudience } from './campaigns/publish-audience.ts';
import { createPublishAudiencesOnce } from './campaigns/publish-audiences-once.ts';
import { createRecordOverridesOnce } from './campaigns/record-overrides-once.ts';
import { createScheduleChecker } from './campaigns/schedule-checker.ts';
import { createWinnerWorker } from './campaigns/winner/winner-worker.ts';
import { createWithTemplate } from './campaigns/with-template.ts';
import type { CampaignsConfig } from './config.ts';
import { createConsumers, createContactConsumers } from './consumers.ts';
import { createLinkChecker, linkTimeoutMs } from './content/links/link-checker.ts';
import { createCompileContent } from './content/templates/compile-content.ts';
import { createFindContentWarnings } from './content/templates/content-warnings.ts';
import { replyWithTemplate } from './content/templates/reply-with-template.ts';
import { createFindCoupons, createRequireValidTemplates } from './content/templates/require-valid-templates.ts';
import { createGiveCodes } from './coupons/give-codes.ts';
import { replyWithCoupons } from './coupons/reply-with-coupons.ts';
import { createRecordFeedback } from './delivery/feedback/record-feedback.ts';
import { createMailbox } from './delivery/mailbox/mailbox.ts';
import { createBounceServer } from './delivery/reports/bounce-server.ts';
import { createFindUnverified, createRequireSender, type FindFault } from './delivery/senders/require-sender.ts';
import { countAttempts, createMessageCounter } from './delivery/sending/campaign-metrics.ts';
import { createComposeEmails } from './delivery/sending/compose-emails.ts';
import { createDomainGate } from './delivery/sending/domain-gate.ts';
import { createPrepareBatch } from './delivery/sending/prepare-batch.ts';
import { createSendingWorker, maxClaimedMs } from './delivery/sending/sending-worker.ts';
import { createSmtp } from './delivery/sending/smtp-connections.ts';
import { createSmtpServers, mailServersOf } from './delivery/sending/smtp-servers.ts';
import { defaultTimings } from './delivery/sending/timings.ts';
import { createIdentifyVisitor } from './engagement/identify-visitor.ts';
import { createLinksOfRow } from './engagement/links-of-row.ts';
import { createPreferences } from './engagement/preferences.ts';
import { createRecordEngagement } from './engagement/record-engagement.ts';
import { createApplyJournal } from './journal/apply-journal.ts';
import { createCountStatesOnce } from './ledger/counters/count-states-once.ts';
import { createCounter } from './ledger/counters/counter.ts';
import { createAssumeDelivered } from './ledger/recipients/assume-delivered.ts';
import { createLeaseReaper } from './ledger/recipients/lease-reaper.ts';
import { createOldestQueued } from './ledger/recipients/oldest-queued.ts';
import { createRecordOutcomes } from './ledger/recipients/record-outcomes.ts';
import { createRestoredRows } from './ledger/recipients/restored-rows.ts';
import { createSettleDelivered } from './ledger/recipients/settle-delivered.ts';
import { createFindMessageRecipients } from './messages/find-message-recipients.ts';
import { createReadMessage } from './messages/read-message.ts';
import { addRoutes } from './routes.ts';
import { createRecheckWaiting } from './settings/recheck-waiting.ts';
import { createStores } from './stores.ts';

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
  const findCoupons = createFindCoupons(stores.coupons);
  const requireValidTemplates = createRequireValidTemplates(templates, findCoupons);
  const compileContent = createCompileContent(templates, requireValidTemplates, findCoupons);
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
  const readMessages = createReadMessages({ mongo, counters });
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
  const findContentWarnings = createFindContentWarnings(createFindUnknownAttributes({ broker, logger, templates }));
  const findRefusedSender: FindFault = config.REQUIRE_VERIFIED_SENDERS ? findUnverified : async () => undefined;
  const requireSender = createRequireSender(findRefusedSender);
  const bounceServer =
    bounceDomain &&
    createBounceServer({ domain: bounceDomain, port: config.BOUNCE_PORT ?? 2525 }, { linkKeys, feedback, logger, run: templates.run });
  const composeEmails = createComposeEmails({ templates, linkKeys, publicUrl, senders, bounceDomain, lane: 'emails' });
  const composeAgain = createComposeEmails({ templates, linkKeys, publicUrl, lane: 'requests' });
  const linksOfRow = createLinksOfRow({ mongo, contactables, findMailable, composeEmails: composeAgain, recipients });
  const findMessageRecipients = createFindMessageRecipients({ findMailable, suppressions, broker });
  const gate = createDomainGate({ connections, rest: timings.domainRest, slowMs: timings.slowDomainMs });
  const prepareBatch = createPrepareBatch({
    findMailable,
    findMessageRecipients,
    contents,
    attachments,
    composeEmails,
    giveCodes: createGiveCodes({ coupons: stores.coupons, queue, templates }),
    settings,
    recipients,
    throttles: stores.throttles,
    gate,
    maxDomainWaitMs: timings.maxDomainWaitMs,
    claimMs: timings.claimMs,
  });
  const readMessage = createReadMessage({ templates: stores.templates, compileContent, findMailable, broker, attachments, requireSender });
  const sendingWorker = createSendingWorker(
    {
      campaigns: campaignsQueue,
      queue,
      prepareBatch,
      recordOutcomes,
      smtp,
      gate,
      onNothingDue: finishCampaign,
      suspended: suspensions,
      paused: settings.paused,
      logger,
    },
    { slots: Math.max(1, mailServers.length) * connections * 3, ...timings },
  );
  metrics.gauges(
    'campaign_oldest_queued_email_seconds',
    'Age of the oldest email that could be sent now and was not, by kind: message, workflow or campaign (throttled ones excluded).',
    'kind',
    createOldestQueued({ db: mongo.db, campaigns: campaignsQueue, queue, suspended: suspensions, paused: settings.paused }),
  );
  const eraser = createEraser({ mongo, recipients, engagements, attachments, contents, erasures, outbox, logger });
  const contactConsumers = createContactConsumers(parts, { stores, settleDelivered, wakeEraser: eraser.wake, onDue: sendingWorker.wake });
  const recheckWaiting = createRecheckWaiting({ settings, queue, maxClaimedMs: maxClaimedMs(timings), onDue: sendingWorker.wake, logger });
  const freezeAudience = createFreezeAudience({
    ...{ mongo, campaigns, campaignsQueue, recipients },
    audiencePages,
    findMailable,
    findAudienceMoment: createFindAudienceMoment(broker, contactConsumers),
    requireSegments,
    requireSender,
    leaseMs: timings.freezeLeaseMs,
    onReady: sendingWorker.wake,
    suspended: suspensions,
  });
  const campaignWorker = createCampaignWorker({
    ...{ mongo, campaigns, templates: stores.templates, campaignsQueue, recipients, counters, freezeAudience },
    leaseMs: timings.freezeLeaseMs,
    suspended: suspensions,
    logger,
  });
  const winnerWorker = createWinnerWorker({ mongo, tests, counters, onReleased: sendingWorker.wake, suspended: suspensions, logger });
  const wake = () => {
    campaignWorker.wake();
    winnerWorker.wake();
    sendingWorker.wake();
  };

  const accountErasure = createAccountErasure(parts, CampaignsAccountErased);

  const app = createServer(parts);
  app.addHook('onClose', templates.stop);
  const linkRequests = createGuardedRequests({ allowPrivate: false, timeoutMs: linkTimeoutMs });
  app.addHook('onClose', linkRequests.stop);
  addRoutes(app, {
    ...{ parts, config, stores, templates, checkContent, compileContent, requireValidTemplates, withTemplate, mailbox },
    ...{ requireSegments, requireSender, audiencePages, findMailable, readMessage, readReport, readMessages, feedback, linksOfRow },
    identifyVisitor: createIdentifyVisitor({ broker, logger }),
    checkLinks: createLinkChecker({ send: config.requestLinks ?? linkRequests.send }),
    findContentWarnings,
    findWarnings: createFindWarnings(findUnverified, findContentWarnings),
    consentWarnings: createConsentWarnings({ audiencePages, findMailable, recipients: stores.recipients }),
    couponWarnings: createCouponWarnings({ coupons: stores.coupons, templates, audiencePages }),
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
      ...createConsumers(parts, { stores, findRefusedSender, formsUrl: config.FORMS_URL ?? publicUrl, wake }),
    ],
    replies: [
      replyWithPosition(parts, positionRequests.campaigns, streams.campaigns),
      replyWithBacklog(parts, backlogRequests.campaigns),
      replyWithTemplate(broker, { templates: stores.templates }),
      replyWithName(broker, nameRequests.campaign, (account, id) => stores.campaigns.get(account, trustedId<'campaign'>(id))),
      replyWithName(broker, nameRequests.template, (account, id) => stores.templates.get(account, trustedId<'template'>(id))),
      replyWithCoupons(broker, { coupons: stores.coupons }),
      replyWithWorkflowEmails(broker, { readMessages }),
      replyWithCampaignReport(broker, { readReport }),
    ],
    applyJournal: createApplyJournal({ mongo, outbox, campaigns, rows: createRestoredRows(mongo.db) }),
    background: [
      accountErasure.background,
      ...(mailbox ? [mailbox] : []),
      ...(bounceServer ? [outward(bounceServer)] : []),
      suspensions,
      audiencesOnce,
      outward(campaignWorker),
      createScheduleChecker({
        mongo,
        outbox,
        requireSegments,
        requireSender,
        everyMs: timings.checkEveryMs,
        suspended: suspensions,
        logger,
      }),
      outward(sendingWorker),
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
