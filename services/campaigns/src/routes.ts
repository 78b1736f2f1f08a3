import { Resolver } from 'node:dns/promises';
import type { Server } from '@mp/service-kit/create-server';
import type { Parts } from '@mp/service-kit/parts';
import type { Templates } from '@mp/templates/templates';
import { selectWinner } from './ab-tests/select-winner.ts';
import { compareCampaigns } from './analytics/compare-campaigns.ts';
import { exportAnalytics } from './analytics/export-analytics.ts';
import { getAnalytics } from './analytics/get-analytics.ts';
import { getMessageAnalytics } from './analytics/get-message-analytics.ts';
import { getTemplateAnalytics } from './analytics/get-template-analytics.ts';
import type { ReadReport } from './analytics/report.ts';
import { summarizeCampaigns } from './analytics/summarize-campaigns.ts';
import { getBrand } from './brand/get-brand.ts';
import { updateBrand } from './brand/update-brand.ts';
import { createCampaign } from './campaigns/create-campaign.ts';
import { deleteCampaign } from './campaigns/delete-campaign.ts';
import { duplicateCampaign } from './campaigns/duplicate-campaign.ts';
import { getCampaign } from './campaigns/get-campaign.ts';
import { listCampaigns } from './campaigns/list-campaigns.ts';
import { sendCampaign } from './campaigns/send-campaign.ts';
import { transitionCampaign } from './campaigns/transition-campaign.ts';
import { updateCampaign } from './campaigns/update-campaign.ts';
import type { CampaignsConfig } from './config.ts';
import type { FindMailable } from './contactables/mailable-contacts.ts';
import type { RecordEngagement } from './engagements/record-engagement.ts';
import type { RecordFeedback } from './feedback/record-feedback.ts';
import type { AudiencePages } from './freezing/audience-pages.ts';
import { dryRunCampaign } from './freezing/dry-run-campaign.ts';
import type { RequireSegments } from './freezing/segments-exist.ts';
import { deleteImage } from './images/delete-image.ts';
import { getImage } from './images/get-image.ts';
import { listImages } from './images/list-images.ts';
import { createReadUpload } from './images/read-upload.ts';
import { showImage } from './images/show-image.ts';
import { uploadImage } from './images/upload-image.ts';
import { checkLinks } from './links/check-links.ts';
import { followLink } from './links/follow-link.ts';
import type { IdentifyVisitor } from './links/identify-visitor.ts';
import type { CheckLinks } from './links/link-checker.ts';
import type { LinksOfRow } from './links/links-of-row.ts';
import { unsubscribeByLink } from './links/unsubscribe-by-link.ts';
import type { Mailbox } from './mailbox/mailbox.ts';
import { mailboxPages } from './mailbox/mailbox-pages.ts';
import { getMessageById } from './messages/get-message-by-id.ts';
import { listMessages } from './messages/list-messages.ts';
import type { ReadMessage } from './messages/read-message.ts';
import { sendMessage } from './messages/send-message.ts';
import { createSendTests } from './messages/send-tests.ts';
import { testCampaign } from './messages/test-campaign.ts';
import { testContent } from './messages/test-content.ts';
import type { Preferences } from './preferences/preferences.ts';
import { createProvider } from './providers/create-provider.ts';
import { deleteProvider } from './providers/delete-provider.ts';
import { getFromSns } from './providers/get-from-sns.ts';
import { getProvider } from './providers/get-provider.ts';
import { listProviders } from './providers/list-providers.ts';
import { receiveFeedback } from './providers/receive-feedback.ts';
import { exportLedger } from './recipients/export-ledger.ts';
import { getLedger } from './recipients/get-ledger.ts';
import { getMessage } from './recipients/get-message.ts';
import { createReadProgress } from './recipients/read-progress.ts';
import { resolveUnknown } from './recipients/resolve-unknown.ts';
import { checkSender } from './senders/check-sender.ts';
import { createSender as createSendingDomain } from './senders/create-sender.ts';
import { deleteSender } from './senders/delete-sender.ts';
import { getSender } from './senders/get-sender.ts';
import { listSenders } from './senders/list-senders.ts';
import type { FindWarnings, RequireSender } from './senders/require-sender.ts';
import { getSettings } from './settings/get-settings.ts';
import { updateSettings } from './settings/update-settings.ts';
import type { Stores } from './stores.ts';
import type { CheckContent } from './templates/check-content.ts';
import type { CompileContent } from './templates/compile-content.ts';
import { createTemplate } from './templates/create-template.ts';
import { deleteTemplate } from './templates/delete-template.ts';
import { duplicateTemplate } from './templates/duplicate-template.ts';
import { getTemplate } from './templates/get-template.ts';
import { listTemplateVersions } from './templates/list-template-versions.ts';
import { listTemplates } from './templates/list-templates.ts';
import { previewCampaign } from './templates/preview-campaign.ts';
import { previewContent } from './templates/preview-content.ts';
import { previewTemplate } from './templates/preview-template.ts';
import type { RequireValidTemplates } from './templates/require-valid-templates.ts';
import { updateTemplate } from './templates/update-template.ts';
import type { WithTemplate } from './templates/with-template.ts';

type Wiring = {
  parts: Pick<Parts, 'mongo' | 'broker' | 'transact' | 'maintenance'>;
  config: Pick<CampaignsConfig, 'LINK_KEYS' | 'PUBLIC_URL' | 'dns' | 'getFromSns'>;
  stores: Stores;
  templates: Templates;
  checkContent: CheckContent;
  compileContent: CompileContent;
  requireValidTemplates: RequireValidTemplates;
  withTemplate: WithTemplate;
  requireSegments: RequireSegments;
  requireSender: RequireSender;
  findWarnings: FindWarnings;
  audiencePages: AudiencePages;
  findMailable: FindMailable;
  readMessage: ReadMessage;
  readReport: ReadReport;
  feedback: RecordFeedback;
  linksOfRow: LinksOfRow;
  identifyVisitor: IdentifyVisitor;
  recordEngagement: RecordEngagement;
  preferences: Preferences;
  mailbox: Mailbox | undefined;
  checkLinks: CheckLinks;
  dryRunMs: number;
  recheckWaiting: () => void;
  wake: () => void;
};

/** Every route of the service. */
export function addRoutes(app: Server, { parts, config, stores, ...wiring }: Wiring) {
  const { mongo, broker, transact, maintenance } = parts;
  const { LINK_KEYS: linkKeys, PUBLIC_URL: publicUrl } = config;
  const { campaigns, recipients, contents, engagements, settings, providers, senders, tests, counters } = stores;
  const {
    templates,
    checkContent,
    compileContent,
    requireValidTemplates,
    withTemplate,
    requireSegments,
    requireSender,
    findWarnings,
    audiencePages,
    findMailable,
    readMessage,
    readReport,
    feedback,
    linksOfRow,
    identifyVisitor,
    recordEngagement,
    preferences,
    mailbox,
    dryRunMs,
    recheckWaiting,
    wake,
  } = wiring;

  listCampaigns(app, { campaigns });
  createCampaign(app, { campaigns, checkContent, requireSegments, transact });
  listTemplates(app, { templates: stores.templates });
  createTemplate(app, { templates: stores.templates, compileContent, transact });
  getTemplate(app, { templates: stores.templates });
  updateTemplate(app, { templates: stores.templates, compileContent, transact });
  deleteTemplate(app, { templates: stores.templates, campaigns, transact });
  listTemplateVersions(app, { templates: stores.templates });
  duplicateTemplate(app, { templates: stores.templates, transact });
  previewTemplate(app, { store: stores.templates, findMailable, templates, publicUrl });
  listImages(app, { images: stores.images });
  uploadImage(app, { images: stores.images, readUpload: createReadUpload(templates), transact });
  getImage(app, { images: stores.images });
  deleteImage(app, { images: stores.images, transact });
  showImage(app, { images: stores.images });
  getBrand(app, { brands: stores.brands });
  updateBrand(app, { brands: stores.brands, transact });
  getSettings(app, { settings });
  updateSettings(app, { settings, transact, recheckWaiting });
  getCampaign(app, { mongo, campaigns, recipients, readProgress: createReadProgress({ counters, recipients }) });
  updateCampaign(app, { campaigns, checkContent, requireSegments, requireSender, transact, wake });
  deleteCampaign(app, { campaigns, transact });
  duplicateCampaign(app, { campaigns, templates: stores.templates, transact });
  previewCampaign(app, { campaigns, withTemplate, findMailable, templates, publicUrl });
  dryRunCampaign(app, {
    ...{ campaigns, withTemplate, audiencePages, requireValidTemplates, requireSegments, findMailable, templates, publicUrl },
    ...{ settings, recipients, findWarnings },
    budgetMs: dryRunMs,
  });
  sendCampaign(app, { campaigns, withTemplate, requireValidTemplates, requireSegments, requireSender, findWarnings, transact, wake });
  transitionCampaign(app, 'pause', { campaigns, templates: stores.templates, transact, wake });
  transitionCampaign(app, 'resume', { campaigns, templates: stores.templates, transact, wake });
  transitionCampaign(app, 'unschedule', { campaigns, templates: stores.templates, transact, wake });
  transitionCampaign(app, 'cancel', { campaigns, templates: stores.templates, transact, wake });
  const sendTests = createSendTests({ recipients, contents, requireValidTemplates, findMailable, requireSender, wake });
  testCampaign(app, { campaigns, withTemplate, sendTests, transact });
  testContent(app, { compileContent, sendTests, transact });
  previewContent(app, { findMailable, templates, publicUrl });
  checkLinks(app, { check: wiring.checkLinks, maintenance });
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
  exportLedger(app, { campaigns, recipients });
  getMessage(app, { campaigns, recipients, engagements, findMailable });
  resolveUnknown(app, { campaigns, recipients, transact, wake });
  selectWinner(app, { campaigns, tests, counters, transact, wake });
  getAnalytics(app, { readReport });
  exportAnalytics(app, { readReport });
  compareCampaigns(app, { readReport });
  summarizeCampaigns(app, { campaigns, counters });
  getMessageAnalytics(app, { mongo, counters, settings });
  getTemplateAnalytics(app, { mongo, templates: stores.templates, campaigns, counters, settings });
  followLink(app, { linkKeys, recipients, contents, linksOfRow, recordEngagement, preferences, identifyVisitor });
  unsubscribeByLink(app, { linkKeys, recipients, preferences, recordEngagement });
  if (mailbox) mailboxPages(app, { mailbox });
}
