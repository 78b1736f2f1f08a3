import { Resolver } from 'node:dns/promises';
import type { Server } from '@mp/service-kit/create-server';
import type { Parts } from '@mp/service-kit/service-parts';
import type { Templates } from '@mp/templates/templates';
import { compareCampaigns } from './analytics/compare-campaigns.ts';
import { exportAnalytics } from './analytics/export-analytics.ts';
import { getAnalytics } from './analytics/get-analytics.ts';
import { getMessageAnalytics } from './analytics/get-message-analytics.ts';
import { getTemplateAnalytics } from './analytics/get-template-analytics.ts';
import type { ReadMessages } from './analytics/read-messages.ts';
import type { ReadReport } from './analytics/report.ts';
import { summarizeCampaigns } from './analytics/summarize-campaigns.ts';
import type { AudiencePages } from './audience/audience-pages.ts';
import type { FindMailable } from './audience/contactables/mailable-contacts.ts';
import type { RequireSegments } from './audience/require-segments.ts';
import { createCampaignApprovals } from './campaigns/approval/campaign-approvals.ts';
import { decideApproval } from './campaigns/approval/decide-approval.ts';
import { getApproval } from './campaigns/approval/get-approval.ts';
import type { FindWarnings } from './campaigns/campaign-warnings.ts';
import type { CheckContent } from './campaigns/check-content.ts';
import type { ConsentWarnings } from './campaigns/consent-warnings.ts';
import type { CouponWarnings } from './campaigns/coupon-warnings.ts';
import { createCampaign } from './campaigns/create-campaign.ts';
import { deleteCampaign } from './campaigns/delete-campaign.ts';
import { dryRunCampaign } from './campaigns/dry-run/dry-run-campaign.ts';
import { duplicateCampaign } from './campaigns/duplicate-campaign.ts';
import { getCampaign } from './campaigns/get-campaign.ts';
import { listCampaigns } from './campaigns/list-campaigns.ts';
import { previewCampaign } from './campaigns/preview-campaign.ts';
import { resolveUnknown } from './campaigns/resolve-unknown.ts';
import { sendCampaign } from './campaigns/send-campaign.ts';
import { transitionCampaign } from './campaigns/transition-campaign.ts';
import { updateCampaign } from './campaigns/update-campaign.ts';
import { selectWinner } from './campaigns/winner/select-winner.ts';
import type { WithTemplate } from './campaigns/with-template.ts';
import type { CampaignsConfig } from './config.ts';
import { getBrand } from './content/brand/get-brand.ts';
import { updateBrand } from './content/brand/update-brand.ts';
import { deleteImage } from './content/images/delete-image.ts';
import { getImage } from './content/images/get-image.ts';
import { listImages } from './content/images/list-images.ts';
import { createReadUpload } from './content/images/read-upload.ts';
import { showImage } from './content/images/show-image.ts';
import { uploadImage } from './content/images/upload-image.ts';
import { checkLinks } from './content/links/check-links.ts';
import type { CheckLinks } from './content/links/link-checker.ts';
import type { CompileContent } from './content/templates/compile-content.ts';
import type { FindContentWarnings } from './content/templates/content-warnings.ts';
import { createTemplate } from './content/templates/create-template.ts';
import { deleteTemplate } from './content/templates/delete-template.ts';
import { duplicateTemplate } from './content/templates/duplicate-template.ts';
import { getTemplate } from './content/templates/get-template.ts';
import { listTemplateVersions } from './content/templates/list-template-versions.ts';
import { listTemplates } from './content/templates/list-templates.ts';
import { previewContent } from './content/templates/preview-content.ts';
import { previewTemplate } from './content/templates/preview-template.ts';
import type { RequireValidTemplates } from './content/templates/require-valid-templates.ts';
import { updateTemplate } from './content/templates/update-template.ts';
import { addCouponCodes } from './coupons/add-coupon-codes.ts';
import { createCoupon } from './coupons/create-coupon.ts';
import { deleteCoupon } from './coupons/delete-coupon.ts';
import { generateCouponCodes } from './coupons/generate-coupon-codes.ts';
import { getCoupon } from './coupons/get-coupon.ts';
import { listCoupons } from './coupons/list-coupons.ts';
import { updateCoupon } from './coupons/update-coupon.ts';
import type { RecordFeedback } from './delivery/feedback/record-feedback.ts';
import type { Mailbox } from './delivery/mailbox/mailbox.ts';
import { mailboxPages } from './delivery/mailbox/mailbox-pages.ts';
import { createProvider } from './delivery/providers/create-provider.ts';
import { deleteProvider } from './delivery/providers/delete-provider.ts';
import { getFromSns } from './delivery/providers/get-from-sns.ts';
import { getProvider } from './delivery/providers/get-provider.ts';
import { listProviders } from './delivery/providers/list-providers.ts';
import { receiveFeedback } from './delivery/providers/receive-feedback.ts';
import { checkSender } from './delivery/senders/check-sender.ts';
import { createSender } from './delivery/senders/create-sender.ts';
import { deleteSender } from './delivery/senders/delete-sender.ts';
import { getSender } from './delivery/senders/get-sender.ts';
import { listSenders } from './delivery/senders/list-senders.ts';
import type { RequireSender } from './delivery/senders/require-sender.ts';
import { followLink } from './engagement/follow-link.ts';
import type { IdentifyVisitor } from './engagement/identify-visitor.ts';
import type { LinksOfRow } from './engagement/links-of-row.ts';
import type { Preferences } from './engagement/preferences.ts';
import type { RecordEngagement } from './engagement/record-engagement.ts';
import { unsubscribeByLink } from './engagement/unsubscribe-by-link.ts';
import { exportLedger } from './ledger/recipients/export-ledger.ts';
import { exportMessageLedger } from './ledger/recipients/export-message-ledger.ts';
import { getLedger } from './ledger/recipients/get-ledger.ts';
import { getMessage } from './ledger/recipients/get-message.ts';
import { getMessageLedger } from './ledger/recipients/get-message-ledger.ts';
import { createReadProgress } from './ledger/recipients/read-progress.ts';
import { getMessageById } from './messages/get-message-by-id.ts';
import { listMessages } from './messages/list-messages.ts';
import type { ReadMessage } from './messages/read-message.ts';
import { sendMessage } from './messages/send-message.ts';
import { createSendTests } from './messages/send-tests.ts';
import { testCampaign } from './messages/test-campaign.ts';
import { testContent } from './messages/test-content.ts';
import { getSettings } from './settings/get-settings.ts';
import { updateSettings } from './settings/update-settings.ts';
import type { Stores } from './stores.ts';

type Wiring = {
  parts: Pick<Parts, 'mongo' | 'outbox' | 'broker' | 'transact' | 'maintenance'>;
  config: Pick<CampaignsConfig, 'LINK_KEYS' | 'PUBLIC_URL' | 'dns' | 'getFromSns'>;
  stores: Stores;
  templates: Templates;
  checkContent: CheckContent;
  compileContent: CompileContent;
  requireValidTemplates: RequireValidTemplates;
  withTemplate: WithTemplate;
  requireSegments: RequireSegments;
  requireSender: RequireSender;
  findContentWarnings: FindContentWarnings;
  findWarnings: FindWarnings;
  couponWarnings: CouponWarnings;
  consentWarnings: ConsentWarnings;
  audiencePages: AudiencePages;
  findMailable: FindMailable;
  readMessage: ReadMessage;
  readReport: ReadReport;
  readMessages: ReadMessages;
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
  const { mongo, outbox, broker, transact, maintenance } = parts;
  const { LINK_KEYS: linkKeys, PUBLIC_URL: publicUrl } = config;
  const { campaigns, recipients, contents, engagements, settings, providers, senders, tests, counters, approvals } = stores;
  const {
    templates,
    checkContent,
    compileContent,
    requireValidTemplates,
    withTemplate,
    requireSegments,
    requireSender,
    findContentWarnings,
    findWarnings,
    couponWarnings,
    consentWarnings,
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
  createTemplate(app, { templates: stores.templates, compileContent, findContentWarnings, transact });
  getTemplate(app, { templates: stores.templates });
  updateTemplate(app, { templates: stores.templates, compileContent, findContentWarnings, transact });
  deleteTemplate(app, { templates: stores.templates, campaigns, transact });
  listTemplateVersions(app, { templates: stores.templates });
  duplicateTemplate(app, { templates: stores.templates, transact });
  previewTemplate(app, { store: stores.templates, findMailable, templates, publicUrl, findContentWarnings });
  listCoupons(app, { coupons: stores.coupons });
  createCoupon(app, { coupons: stores.coupons, transact });
  getCoupon(app, { coupons: stores.coupons });
  updateCoupon(app, { coupons: stores.coupons, transact });
  deleteCoupon(app, { coupons: stores.coupons, campaigns, templates: stores.templates, transact });
  addCouponCodes(app, { coupons: stores.coupons, transact });
  generateCouponCodes(app, { coupons: stores.coupons, transact });
  listImages(app, { images: stores.images });
  uploadImage(app, { images: stores.images, readUpload: createReadUpload(templates), transact });
  getImage(app, { images: stores.images });
  deleteImage(app, { images: stores.images, transact });
  showImage(app, { images: stores.images });
  getBrand(app, { brands: stores.brands });
  updateBrand(app, { brands: stores.brands, transact });
  getSettings(app, { settings });
  updateSettings(app, { settings, outbox, transact, recheckWaiting });
  getCampaign(app, { mongo, campaigns, recipients, readProgress: createReadProgress({ counters, recipients }) });
  const campaignApprovals = createCampaignApprovals({
    ...{ campaigns, approvals, settings, audiencePages, outbox },
    templates: stores.templates,
  });
  updateCampaign(app, { campaigns, checkContent, requireSegments, requireSender, campaignApprovals, transact, wake });
  getApproval(app, { campaigns, approvals });
  decideApproval(app, 'approve', { campaigns, approvals, campaignApprovals, transact, wake });
  decideApproval(app, 'reject', { campaigns, approvals, campaignApprovals, transact, wake });
  deleteCampaign(app, { campaigns, approvals, transact });
  duplicateCampaign(app, { campaigns, templates: stores.templates, transact });
  previewCampaign(app, { campaigns, withTemplate, findMailable, templates, publicUrl, findContentWarnings });
  dryRunCampaign(app, {
    ...{ campaigns, withTemplate, audiencePages, requireValidTemplates, requireSegments, findMailable, templates, publicUrl },
    ...{ settings, recipients, findWarnings, couponWarnings, consentWarnings },
    budgetMs: dryRunMs,
  });
  sendCampaign(app, {
    campaigns,
    withTemplate,
    requireValidTemplates,
    requireSegments,
    requireSender,
    findWarnings,
    couponWarnings,
    consentWarnings,
    campaignApprovals,
    transact,
    wake,
  });
  for (const step of ['pause', 'resume', 'unschedule', 'cancel'] as const)
    transitionCampaign(app, step, { campaigns, templates: stores.templates, campaignApprovals, transact, wake });
  const sendTests = createSendTests({ recipients, contents, requireValidTemplates, findMailable, requireSender, wake });
  testCampaign(app, { campaigns, withTemplate, sendTests, transact });
  testContent(app, { compileContent, sendTests, transact });
  previewContent(app, { findMailable, requireValidTemplates, templates, publicUrl, findContentWarnings });
  checkLinks(app, { check: wiring.checkLinks, maintenance });
  listMessages(app, { recipients });
  sendMessage(app, { recipients, contents, readMessage, findContentWarnings, transact, wake });
  getMessageById(app, { recipients });
  listProviders(app, { providers });
  createProvider(app, { providers, transact });
  getProvider(app, { providers });
  deleteProvider(app, { providers, transact });
  listSenders(app, { senders });
  createSender(app, { senders, transact });
  getSender(app, { senders });
  checkSender(app, { senders, dns: config.dns ?? new Resolver({ timeout: 3_000, tries: 2 }), transact });
  deleteSender(app, { senders, transact });
  receiveFeedback(app, { linkKeys, providers, feedback, getFromSns: config.getFromSns ?? getFromSns });
  getLedger(app, { mongo, broker, campaigns, recipients });
  exportLedger(app, { campaigns, recipients });
  getMessageLedger(app, { broker, recipients });
  exportMessageLedger(app, { recipients });
  getMessage(app, { campaigns, recipients, engagements, findMailable });
  resolveUnknown(app, { campaigns, recipients, transact, wake });
  selectWinner(app, { campaigns, tests, counters, transact, wake });
  getAnalytics(app, { readReport });
  exportAnalytics(app, { readReport });
  compareCampaigns(app, { readReport });
  summarizeCampaigns(app, { campaigns, counters });
  getMessageAnalytics(app, { readMessages: wiring.readMessages, settings });
  getTemplateAnalytics(app, { mongo, templates: stores.templates, campaigns, counters, settings });
  followLink(app, { linkKeys, recipients, contents, linksOfRow, recordEngagement, preferences, identifyVisitor });
  unsubscribeByLink(app, { linkKeys, recipients, preferences, recordEngagement });
  if (mailbox) mailboxPages(app, { mailbox });
}
