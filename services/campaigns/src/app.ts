import { Resolver } from 'node:dns/promises';
import { CampaignsAccountErased } from '@mp/contracts/events/campaigns';
import { SuppressionRemoved } from '@mp/contracts/events/contacts';
import { AccountChanged } from '@mp/contracts/events/platform';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import type { Keyring } from '@mp/contracts/keyring';
import { positionRequests } from '@mp/contracts/questions/positions';
import { streams } from '@mp/contracts/streams';
import { createAccountErasure } from '@mp/erasures/account-erasure';
import { createErasuresStore } from '@mp/erasures/erasures-store';
import { replyWithPosition } from '@mp/service-kit/answer-position';
import { createConsumer } from '@mp/service-kit/consume';
import { createServer } from '@mp/service-kit/create-server';
import { type App, outward, type Parts } from '@mp/service-kit/parts';
import { createSuspensions } from '@mp/service-kit/suspensions';
import { createTemplates } from '@mp/templates/templates';
import { createAbTestsStore } from './ab-tests/ab-tests-store.ts';
import { selectWinner } from './ab-tests/select-winner.ts';
import { createWinnerWorker } from './ab-tests/winner-worker.ts';
import { compareCampaigns } from './analytics/compare-campaigns.ts';
import { exportAnalytics } from './analytics/export-analytics.ts';
import { getAnalytics } from './analytics/get-analytics.ts';
import { createReadReport } from './analytics/report.ts';
import { createCampaignsQueue } from './campaigns/campaigns-queue.ts';
import { createCampaignsStore } from './campaigns/campaigns-store.ts';
import { createCampaign } from './campaigns/create-campaign.ts';
import { deleteCampaign } from './campaigns/delete-campaign.ts';
import { duplicateCampaign } from './campaigns/duplicate-campaign.ts';
import { createFinishCampaign } from './campaigns/finish-campaign.ts';
import { getCampaign } from './campaigns/get-campaign.ts';
import { listCampaigns } from './campaigns/list-campaigns.ts';
import { createPublishAudience } from './campaigns/publish-audience.ts';
import { createPublishAudiencesOnce } from './campaigns/publish-audiences-once.ts';
import { sendCampaign } from './campaigns/send-campaign.ts';
import { transitionCampaign } from './campaigns/transition-campaign.ts';
import { updateCampaign } from './campaigns/update-campaign.ts';
import { createContactablesStore } from './contactables/contactables-store.ts';
import { createEraser } from './contactables/eraser.ts';
import { createFindMailable } from './contactables/mailable-contacts.ts';
import { onContactChanged } from './contactables/on-contact-changed.ts';
import { onContactErased } from './contactables/on-contact-erased.ts';
import { onSuppressionRemoved } from './contactables/on-suppression-removed.ts';
import { createSuppressionsStore } from './contactables/suppressions-store.ts';
import { createConversionsStore } from './conversions/conversions-store.ts';
import { onEventTracked } from './conversions/on-event-tracked.ts';
import { createCountStatesOnce } from './engagements/count-states-once.ts';
import { createCounter } from './engagements/counter.ts';
import { createCountersStore } from './engagements/counters-store.ts';
import { createEngagementsStore } from './engagements/engagements-store.ts';
import { createRecordEngagement } from './engagements/record-engagement.ts';
import { createRecordFeedback } from './feedback/record-feedback.ts';
import { createFindAudienceMoment } from './freezing/audience-moment.ts';
import { createAudiencePages } from './freezing/audience-pages.ts';
import { dryRunCampaign } from './freezing/dry-run-campaign.ts';
import { createFreezer } from './freezing/freezer.ts';
import { createRequireSegments } from './freezing/segments-exist.ts';
import { createApplyJournal } from './journal/apply-journal.ts';
import { followLink } from './links/follow-link.ts';
import { createLinksOfRow } from './links/links-of-row.ts';
import { unsubscribeByLink } from './links/unsubscribe-by-link.ts';
import { createMailbox } from './mailbox/mailbox.ts';
import { mailboxPages } from './mailbox/mailbox-pages.ts';
import { createAttachmentsStore } from './messages/attachments-store.ts';
import { createFindMessageRecipients } from './messages/find-message-recipients.ts';
import { getMessageById } from './messages/get-message-by-id.ts';
import { listMessages } from './messages/list-messages.ts';
import { createReadMessage } from './messages/read-message.ts';
import { sendMessage } from './messages/send-message.ts';
import { testCampaign } from './messages/test-campaign.ts';
import { createPreferences } from './preferences/preferences.ts';
import { createProvider } from './providers/create-provider.ts';
import { deleteProvider } from './providers/delete-provider.ts';
import { getFromSns } from './providers/get-from-sns.ts';
import { getProvider } from './providers/get-provider.ts';
import { listProviders } from './providers/list-providers.ts';
import { createProvidersStore } from './providers/providers-store.ts';
import { receiveFeedback } from './providers/receive-feedback.ts';
import type { GetFromSns } from './providers/ses.ts';
import { createAssumeDelivered } from './recipients/assume-delivered.ts';
import { getLedger } from './recipients/get-ledger.ts';
import { getMessage } from './recipients/get-message.ts';
import { createLeaseReaper } from './recipients/lease-reaper.ts';
import { createOldestQueued } from './recipients/oldest-queued.ts';
import { createRecipientsQueue } from './recipients/recipients-queue.ts';
import { createRecipientsStore } from './recipients/recipients-store.ts';
import { createRecordOutcomes } from './recipients/record-outcomes.ts';
import { resolveUnknown } from './recipients/resolve-unknown.ts';
import { createRestoredRows } from './recipients/restored-rows.ts';
import { createSettleDelivered } from './recipients/settle-delivered.ts';
import { createBounceServer } from './reports/bounce-server.ts';
import type { DnsResolver } from './senders/check-records.ts';
import { checkSender } from './senders/check-sender.ts';
import { createSender as createSendingDomain } from './senders/create-sender.ts';
import { deleteSender } from './senders/delete-sender.ts';
import { getSender } from './senders/get-sender.ts';
import { listSenders } from './senders/list-senders.ts';
import { createRequireSender } from './senders/require-sender.ts';
import { createSendersStore } from './senders/senders-store.ts';
import { countAttempts, createMessageCounter } from './sending/campaign-metrics.ts';
import { createComposeMails } from './sending/compose-mails.ts';
import { createPrepareBatch } from './sending/prepare-batch.ts';
import { createSender } from './sending/sender.ts';
import { createSmtp } from './sending/smtp-connections.ts';
import { defaultTimings, type Timings } from './sending/timings.ts';
import { getSettings } from './settings/get-settings.ts';
import { createSettingsStore } from './settings/settings-store.ts';
import { updateSettings } from './settings/update-settings.ts';
import { replyWithTemplate } from './templates/answer-template.ts';
import { createCheckContent } from './templates/check-content.ts';
import { createCompileContent } from './templates/compile-content.ts';
import { createContentsStore } from './templates/contents-store.ts';
import { createTemplate } from './templates/create-template.ts';
import { deleteTemplate } from './templates/delete-template.ts';
import { duplicateTemplate } from './templates/duplicate-template.ts';
import { getTemplate } from './templates/get-template.ts';
import { listTemplateVersions } from './templates/list-template-versions.ts';
import { listTemplates } from './templates/list-templates.ts';
import { previewCampaign } from './templates/preview-campaign.ts';
import { previewTemplate } from './templates/preview-template.ts';
import { createRequireValidTemplates } from './templates/require-valid-templates.ts';
import { createTemplatesStore } from './templates/templates-store.ts';
import { updateTemplate } from './templates/update-template.ts';
import { createWithTemplate } from './templates/with-template.ts';
import { onSendEffectRequested } from './workflow-messages/on-send-effect-requested.ts';

export type CampaignsConfig = {
  LINK_KEYS: Keyring;
  PUBLIC_URL: string;
  SMTP_URL?: string | undefined;
  SMTP_CONNECTIONS: number;
  MAILBOX_DIR?: string | undefined;
  timings?: Partial<Timings>;
  getFromSns?: GetFromSns;
  dns?: DnsResolver;
  BOUNCE_DOMAIN?: string | undefined;
  BOUNCE_PORT?: number;
  SPF_INCLUDE?: string | undefined;
  REQUIRE_VERIFIED_SENDERS?: boolean;
};

/** Wires the stores, workers, routes and consumers of the service. Without SMTP_URL, email stays in the local mailbox. */
export function buildApp(parts: Parts, config: CampaignsConfig): App {
  const { mongo, outbox, transact, cursors, broker, logger, metrics } = parts;
  const { LINK_KEYS: linkKeys, PUBLIC_URL: publicUrl, SMTP_URL: smtpUrl, SMTP_CONNECTIONS: connections } = config;
  const timings = { ...defaultTimings, ...config.timings };
  const publishAudience = createPublishAudience(outbox);
  const campaigns = createCampaignsStore(mongo.db, cursors, publishAudience, outbox);
  const audiencesOnce = createPublishAudiencesOnce(parts, publishAudience);
  const statesOnce = createCountStatesOnce(parts);
  const campaignsQueue = createCampaignsQueue(mongo.db);
  const recipients = createRecipientsStore(mongo.db, cursors);
  const queue = createRecipientsQueue(mongo.db);
  const contactables = createContactablesStore(mongo.db);
  const erasures = createErasuresStore(mongo.db);
  const suppressions = createSuppressionsStore(mongo.db);
  const templatesStore = createTemplatesStore(mongo.db, cursors);
  const contents = createContentsStore(mongo.db);
  const attachments = createAttachmentsStore(mongo.db);
  const engagements = createEngagementsStore(mongo.db);
  const settings = createSettingsStore(mongo.db);
  const conversions = createConversionsStore(mongo.db);
  const counters = createCountersStore(mongo);
  const suspensions = createSuspensions(parts, AccountChanged);

  const findMailable = createFindMailable({ contactables, suppressions, broker });
  const templates = createTemplates();
  const requireValidTemplates = createRequireValidTemplates(templates);
  const compileContent = createCompileContent(templates, requireValidTemplates);
  const checkContent = createCheckContent(compileContent, requireValidTemplates, templatesStore);
  const withTemplate = createWithTemplate(templatesStore);
  const requireSegments = createRequireSegments(broker);
  const audiencePages = createAudiencePages(broker);
  const onSettled = createMessageCounter(metrics);
  const recordOutcomes = createRecordOutcomes({ mongo, queue, suppressions, outbox, onSettled });
  const settleDelivered = createSettleDelivered({ recipients, outbox, onSettled });
  const feedback = createRecordFeedback({ mongo, recipients, suppressions, outbox, onSettled });
  const providers = createProvidersStore(mongo.db, cursors, { linkKeys, publicUrl });
  const recordEngagement = createRecordEngagement({ mongo, outbox, engagements, contactables, suppressions, settleDelivered });
  const preferences = createPreferences({ mongo, outbox, contents, settings, suppressions, findMailable, recordEngagement });
  const readReport = createReadReport({ settings, mongo, campaigns, counters, contents });
  const finishCampaign = createFinishCampaign({ mongo, campaigns, recipients });

  const mailbox = smtpUrl === undefined ? createMailbox({ dir: config.MAILBOX_DIR, logger }) : undefined;
  const url = async () => smtpUrl ?? (await mailbox?.url()) ?? '';
  const smtp = countAttempts(metrics, createSmtp({ url, connections, deliveryMs: timings.deliveryMs, logger }));
  const bounceDomain = config.BOUNCE_DOMAIN;
  const senders = createSendersStore(mongo.db, cursors, { linkKeys, setup: { bounceDomain, spfInclude: config.SPF_INCLUDE } });
  const requireSender = createRequireSender(senders, config.REQUIRE_VERIFIED_SENDERS ?? false);
  const bounceServer =
    bounceDomain && createBounceServer({ domain: bounceDomain, port: config.BOUNCE_PORT ?? 2525 }, { linkKeys, feedback, logger });
  const composeMails = createComposeMails({ templates, linkKeys, publicUrl, senders, bounceDomain, lane: 'mails' });
  const composeAgain = createComposeMails({ templates, linkKeys, publicUrl, lane: 'asked' });
  const linksOfRow = createLinksOfRow({ mongo, contactables, findMailable, composeMails: composeAgain, recipients });
  const findMessageRecipients = createFindMessageRecipients({ findMailable, suppressions, broker });
  const prepareBatch = createPrepareBatch({
    findMailable,
    findMessageRecipients,
    contents,
    attachments,
    composeMails,
    settings,
    recipients,
  });
  const readMessage = createReadMessage({ templates: templatesStore, compileContent, findMailable, broker, attachments, requireSender });
  const sender = createSender(
    { campaigns: campaignsQueue, queue, prepareBatch, recordOutcomes, smtp, onNothingDue: finishCampaign, suspended: suspensions, logger },
    { slots: connections * 3, claimMs: timings.claimMs, leaseMs: timings.leaseMs, retry: timings.retry },
  );
  metrics.gauges(
    'campaign_oldest_queued_email_seconds',
    'Age of the oldest email that could be sent now and was not, by kind: message, workflow or campaign (throttled ones excluded).',
    'kind',
    createOldestQueued({ db: mongo.db, campaigns: campaignsQueue, queue, suspended: suspensions }),
  );
  const eraser = createEraser({ mongo, recipients, engagements, attachments, contents, erasures, outbox, logger });
  const contactConsumers = [
    createConsumer(parts, {
      name: 'campaigns-contacts',
      stream: streams.contacts,
      filter: 'contacts.contact.>',
      handlers: [
        ...onContactChanged({ contactables, suppressions, settleDelivered }),
        onContactErased({ contactables, erasures, wake: eraser.wake }),
      ],
    }),
    createConsumer(parts, {
      name: 'campaigns-suppressions',
      stream: streams.contacts,
      filter: SuppressionRemoved.subject,
      handlers: [onSuppressionRemoved(suppressions)],
    }),
  ];
  const freezer = createFreezer({
    mongo,
    campaigns,
    campaignsQueue,
    recipients,
    counters,
    audiencePages,
    findAudienceMoment: createFindAudienceMoment(broker, contactConsumers),
    requireSegments,
    leaseMs: timings.freezeLeaseMs,
    onReady: sender.wake,
    suspended: suspensions,
    logger,
  });
  const tests = createAbTestsStore(mongo.db);
  const winnerWorker = createWinnerWorker({ mongo, tests, counters, onReleased: sender.wake, suspended: suspensions, logger });
  const wake = () => {
    freezer.wake();
    winnerWorker.wake();
    sender.wake();
  };

  const accountErasure = createAccountErasure(parts, CampaignsAccountErased);

  const app = createServer(parts);
  app.addHook('onClose', templates.stop);
  listCampaigns(app, { campaigns });
  createCampaign(app, { campaigns, checkContent, requireSegments, transact });
  listTemplates(app, { templates: templatesStore });
  createTemplate(app, { templates: templatesStore, compileContent, transact });
  getTemplate(app, { templates: templatesStore });
  updateTemplate(app, { templates: templatesStore, compileContent, transact });
  deleteTemplate(app, { templates: templatesStore, campaigns, transact });
  listTemplateVersions(app, { templates: templatesStore });
  duplicateTemplate(app, { templates: templatesStore, transact });
  previewTemplate(app, { store: templatesStore, findMailable, templates, publicUrl });
  getSettings(app, { settings });
  updateSettings(app, { settings, transact });
  getCampaign(app, { campaigns, recipients });
  updateCampaign(app, { campaigns, checkContent, requireSegments, transact, wake });
  deleteCampaign(app, { campaigns, transact });
  duplicateCampaign(app, { campaigns, transact });
  previewCampaign(app, { campaigns, withTemplate, findMailable, templates, publicUrl });
  dryRunCampaign(app, {
    ...{ campaigns, withTemplate, audiencePages, requireValidTemplates, requireSegments, findMailable, templates, publicUrl },
    budgetMs: timings.dryRunMs,
  });
  sendCampaign(app, { campaigns, withTemplate, requireValidTemplates, requireSegments, requireSender, transact, wake });
  transitionCampaign(app, 'pause', { campaigns, transact, wake });
  transitionCampaign(app, 'resume', { campaigns, transact, wake });
  transitionCampaign(app, 'unschedule', { campaigns, transact, wake });
  transitionCampaign(app, 'cancel', { campaigns, transact, wake });
  testCampaign(app, { campaigns, recipients, contents, withTemplate, requireValidTemplates, findMailable, requireSender, transact, wake });
  listMessages(app, { recipients });
  sendMessage(app, { recipients, contents, readMessage, transact, wake });
  getMessageById(app, { recipients });
  listProviders(app, { providers });
  createProvider(app, { providers, transact });
  getProvider(app, { providers });
  deleteProvider(app, { providers, transact });
  listSenders(app, { senders });
  createSendingDomain(app, { senders, transact });
  getSender(app, { senders });
  checkSender(app, { senders, dns: config.dns ?? new Resolver({ timeout: 3_000, tries: 2 }), transact });
  deleteSender(app, { senders, transact });
  receiveFeedback(app, { linkKeys, providers, feedback, getFromSns: config.getFromSns ?? getFromSns });
  getLedger(app, { mongo, broker, campaigns, recipients });
  getMessage(app, { campaigns, recipients, engagements, findMailable });
  resolveUnknown(app, { campaigns, recipients, transact, wake });
  selectWinner(app, { campaigns, tests, counters, transact, wake });
  getAnalytics(app, { readReport });
  exportAnalytics(app, { readReport });
  compareCampaigns(app, { readReport });
  followLink(app, { linkKeys, recipients, contents, linksOfRow, recordEngagement, preferences });
  unsubscribeByLink(app, { linkKeys, recipients, preferences, recordEngagement });
  if (mailbox) mailboxPages(app, { mailbox });

  return {
    app,
    prepare: async () => {
      for (const store of [
        suspensions,
        audiencesOnce,
        statesOnce,
        campaigns,
        templatesStore,
        recipients,
        contactables,
        suppressions,
        contents,
        attachments,
        feedback,
        providers,
        senders,
        engagements,
        settings,
        conversions,
        counters,
        erasures,
      ])
        await store.prepare();
    },
    consumers: [
      accountErasure.consumer,
      ...contactConsumers,
      suspensions.consumer,
      createConsumer(parts, {
        name: 'campaigns-conversions',
        stream: streams.leadpulse,
        filter: 'leadpulse.event.>',
        handlers: onEventTracked({ conversions, engagements, recipients }),
      }),
      createConsumer(parts, {
        name: 'campaigns-workflows',
        stream: streams.workflows,
        filter: SendEffectRequested.subject,
        handlers: [onSendEffectRequested({ recipients, contents, templates: templatesStore, outbox, wake })],
      }),
    ],
    answers: [
      replyWithPosition(parts, positionRequests.campaigns, streams.campaigns),
      replyWithTemplate(broker, { templates: templatesStore }),
    ],
    applyJournal: createApplyJournal({ mongo, outbox, campaigns, rows: createRestoredRows(mongo.db) }),
    background: [
      accountErasure.background,
      ...(mailbox ? [mailbox] : []),
      ...(bounceServer ? [outward(bounceServer)] : []),
      suspensions,
      audiencesOnce,
      outward(freezer),
      outward(sender),
      eraser,
      outward(createLeaseReaper({ queue, recordOutcomes, everyMs: timings.reapEveryMs, logger })),
      createCounter({ counters, logger }),
      statesOnce,
      outward(winnerWorker),
      createAssumeDelivered({ mongo, settings, outbox, onSettled, logger }),
    ],
  };
}
