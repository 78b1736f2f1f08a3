import { SuppressionRemoved } from '@mp/contracts/events/contacts';
import { AccountChanged } from '@mp/contracts/events/platform';
import { SendEffectRequested } from '@mp/contracts/events/workflows';
import type { Keyring } from '@mp/contracts/keyring';
import { positionRequests } from '@mp/contracts/questions/positions';
import { streams } from '@mp/contracts/streams';
import { replyWithPosition } from '@mp/service-kit/answer-position';
import { createConsumer } from '@mp/service-kit/consume';
import { createServer } from '@mp/service-kit/create-server';
import { createErasuresStore } from '@mp/service-kit/erasures-store';
import { type App, outward, type Parts } from '@mp/service-kit/parts';
import { createSuspensions } from '@mp/service-kit/suspensions';
import { createTemplates } from '@mp/templates/templates';
import { getAnalytics } from './analytics/get-analytics.ts';
import { createCampaignsQueue } from './campaigns/campaigns-queue.ts';
import { createCampaignsStore } from './campaigns/campaigns-store.ts';
import { createCampaign } from './campaigns/create-campaign.ts';
import { deleteCampaign } from './campaigns/delete-campaign.ts';
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
import { createCounter } from './engagements/counter.ts';
import { createCountersStore } from './engagements/counters-store.ts';
import { createEngagementsStore } from './engagements/engagements-store.ts';
import { createRecordEngagement } from './engagements/record-engagement.ts';
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
import { getLedger } from './recipients/get-ledger.ts';
import { getMessage } from './recipients/get-message.ts';
import { createLeaseReaper } from './recipients/lease-reaper.ts';
import { createRecipientsQueue } from './recipients/recipients-queue.ts';
import { createRecipientsStore } from './recipients/recipients-store.ts';
import { createRecordOutcomes } from './recipients/record-outcomes.ts';
import { resolveUnknown } from './recipients/resolve-unknown.ts';
import { createRestoredRows } from './recipients/restored-rows.ts';
import { createSettleDelivered } from './recipients/settle-delivered.ts';
import { countAttempts, createMessageCounter } from './sending/campaign-metrics.ts';
import { createComposeMails } from './sending/compose-mails.ts';
import { createPrepareBatch } from './sending/prepare-batch.ts';
import { createSender } from './sending/sender.ts';
import { createSmtp } from './sending/smtp-connections.ts';
import { defaultTimings, type Timings } from './sending/timings.ts';
import { createContentsStore } from './templates/contents-store.ts';
import { previewCampaign } from './templates/preview-campaign.ts';
import { createRequireValidTemplates } from './templates/require-valid-templates.ts';
import { onSendEffectRequested } from './workflow-messages/on-send-effect-requested.ts';

export type CampaignsConfig = {
  LINK_KEYS: Keyring;
  PUBLIC_URL: string;
  SMTP_URL?: string | undefined;
  SMTP_CONNECTIONS: number;
  MAILBOX_DIR?: string | undefined;
  timings?: Partial<Timings>;
};

/** Wires the stores, workers, routes and consumers of the service. Without SMTP_URL, email stays in the local mailbox. */
export function buildApp(parts: Parts, config: CampaignsConfig): App {
  const { mongo, outbox, transact, cursors, broker, logger, metrics } = parts;
  const { LINK_KEYS: linkKeys, PUBLIC_URL: publicUrl, SMTP_URL: smtpUrl, SMTP_CONNECTIONS: connections } = config;
  const timings = { ...defaultTimings, ...config.timings };
  const publishAudience = createPublishAudience(outbox);
  const campaigns = createCampaignsStore(mongo.db, cursors, publishAudience);
  const audiencesOnce = createPublishAudiencesOnce(parts, publishAudience);
  const campaignsQueue = createCampaignsQueue(mongo.db);
  const recipients = createRecipientsStore(mongo.db, cursors);
  const queue = createRecipientsQueue(mongo.db);
  const contactables = createContactablesStore(mongo.db);
  const erasures = createErasuresStore(mongo.db);
  const suppressions = createSuppressionsStore(mongo.db);
  const contents = createContentsStore(mongo.db);
  const engagements = createEngagementsStore(mongo.db);
  const counters = createCountersStore(mongo);
  const suspensions = createSuspensions(parts, AccountChanged);

  const findMailable = createFindMailable({ contactables, suppressions, broker });
  const templates = createTemplates();
  const requireValidTemplates = createRequireValidTemplates(templates);
  const requireSegments = createRequireSegments(broker);
  const audiencePages = createAudiencePages(broker);
  const onSettled = createMessageCounter(metrics);
  const recordOutcomes = createRecordOutcomes({ mongo, queue, suppressions, outbox, onSettled });
  const settleDelivered = createSettleDelivered({ recipients, outbox, onSettled });
  const recordEngagement = createRecordEngagement({ mongo, outbox, engagements, contactables, suppressions, settleDelivered });
  const finishCampaign = createFinishCampaign({ mongo, campaigns, recipients });

  const mailbox = smtpUrl === undefined ? createMailbox({ dir: config.MAILBOX_DIR, logger }) : undefined;
  const url = async () => smtpUrl ?? (await mailbox?.url()) ?? '';
  const smtp = countAttempts(metrics, createSmtp({ url, connections, deliveryMs: timings.deliveryMs, logger }));
  const composeMails = createComposeMails({ templates, linkKeys, publicUrl, lane: 'mails' });
  const composeAgain = createComposeMails({ templates, linkKeys, publicUrl, lane: 'asked' });
  const linksOfRow = createLinksOfRow({ mongo, contactables, findMailable, composeMails: composeAgain, recipients });
  const prepareBatch = createPrepareBatch({ findMailable, contents, composeMails });
  const sender = createSender(
    { campaigns: campaignsQueue, queue, prepareBatch, recordOutcomes, smtp, onNothingDue: finishCampaign, suspended: suspensions, logger },
    { slots: connections * 3, claimMs: timings.claimMs, leaseMs: timings.leaseMs, retry: timings.retry },
  );
  const eraser = createEraser({ mongo, recipients, engagements, erasures, outbox, logger });
  const contactConsumers = [
    createConsumer(parts, {
      name: 'campaigns-contacts',
      stream: streams.contacts,
      filter: 'contacts.contact.>',
      handlers: [...onContactChanged({ contactables, settleDelivered }), onContactErased({ contactables, erasures, wake: eraser.wake })],
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
    audiencePages,
    findAudienceMoment: createFindAudienceMoment(broker, contactConsumers),
    requireSegments,
    leaseMs: timings.freezeLeaseMs,
    onReady: sender.wake,
    suspended: suspensions,
    logger,
  });
  const wake = () => {
    freezer.wake();
    sender.wake();
  };

  const app = createServer(parts);
  app.addHook('onClose', templates.stop);
  listCampaigns(app, { campaigns });
  createCampaign(app, { campaigns, requireValidTemplates, requireSegments, transact });
  getCampaign(app, { campaigns, recipients });
  updateCampaign(app, { campaigns, requireValidTemplates, requireSegments, transact });
  deleteCampaign(app, { campaigns, transact });
  previewCampaign(app, { campaigns, findMailable, templates, publicUrl });
  dryRunCampaign(app, {
    ...{ campaigns, audiencePages, requireValidTemplates, requireSegments, findMailable, templates, publicUrl },
    budgetMs: timings.dryRunMs,
  });
  sendCampaign(app, { campaigns, requireValidTemplates, requireSegments, transact, wake });
  transitionCampaign(app, 'pause', { campaigns, transact, wake });
  transitionCampaign(app, 'resume', { campaigns, transact, wake });
  transitionCampaign(app, 'cancel', { campaigns, transact, wake });
  getLedger(app, { mongo, broker, campaigns, recipients });
  getMessage(app, { campaigns, recipients, engagements, findMailable });
  resolveUnknown(app, { campaigns, recipients, transact, wake });
  getAnalytics(app, { campaigns, recipients, counters });
  followLink(app, { linkKeys, recipients, contents, linksOfRow, recordEngagement });
  unsubscribeByLink(app, { linkKeys, recipients, recordEngagement });
  if (mailbox) mailboxPages(app, { mailbox });

  return {
    app,
    prepare: async () => {
      for (const store of [
        suspensions,
        audiencesOnce,
        campaigns,
        recipients,
        contactables,
        suppressions,
        contents,
        engagements,
        counters,
        erasures,
      ])
        await store.prepare();
    },
    consumers: [
      ...contactConsumers,
      suspensions.consumer,
      createConsumer(parts, {
        name: 'campaigns-workflows',
        stream: streams.workflows,
        filter: SendEffectRequested.subject,
        handlers: [onSendEffectRequested({ recipients, contents, outbox, wake })],
      }),
    ],
    answers: [replyWithPosition(parts, positionRequests.campaigns, streams.campaigns)],
    applyJournal: createApplyJournal({ mongo, outbox, campaigns, rows: createRestoredRows(mongo.db) }),
    background: [
      ...(mailbox ? [mailbox] : []),
      suspensions,
      audiencesOnce,
      outward(freezer),
      outward(sender),
      eraser,
      outward(createLeaseReaper({ queue, recordOutcomes, everyMs: timings.reapEveryMs, logger })),
      createCounter({ counters, logger }),
    ],
  };
}
