import { eventually } from '@mp/test-kit/eventually';
import { of, type RecordOperation, type Things } from './fixtures.ts';
import { signInUser } from './sign-in-user.ts';

/** Exercises campaigns, messages, templates, senders and providers. */
export async function exerciseCampaigns(record: RecordOperation, fixtures: Things) {
  const campaign = of(fixtures, 'campaigns');
  await record('listCampaigns');
  await record('getCampaign', campaign);
  // Slow enough to be paused while it is sending.
  await record('updateCampaign', {
    ...campaign,
    body: { preview_text: 'And so are we.', audience: { include: ['all'] }, throttle_per_minute: 1 },
  });
  await record('previewCampaign', { ...campaign, body: { contact_id: fixtures.contacts } });
  await record('testCampaign', { ...campaign, body: { to: ['editor@example.com'], contact_id: fixtures.contacts } });
  await record('dryRunCampaign', { ...campaign, body: {} });
  await record('sendCampaign', { ...campaign, body: {} });
  await eventually(async () => (await record('getCampaign', campaign)).status === 'sending');
  await record('pauseCampaign', { ...campaign, body: {} });
  await record('getCampaignLedger', campaign);
  await record('exportCampaignLedger', { ...campaign, query: { status: 'sent' } });
  await record('getCampaignMessage', { params: { ...campaign.params, contact_id: fixtures.contacts ?? '' } });
  await record('resolveUnknownMessages', { ...campaign, body: { action: 'leave' } });
  await record('resumeCampaign', { ...campaign, body: {} });
  await record('getCampaignAnalytics', { ...campaign, query: { by: 'link' } });
  const variants = [
    { weight: 50, subject: 'Spring is here' },
    { weight: 50, subject: 'Is it spring?' },
  ];
  const tested = await record('createCampaign', {
    body: {
      ...{
        name: 'Two subjects',
        subject: 'Spring',
        from: { email: 'news@example.com' },
        html: '<p>Hello</p>',
        audience: { include: ['all'] },
      },
      ...{ throttle_per_minute: 1, ab_test: { variants, sample_percent: 50, metric: 'opens', selection: 'manual' } },
    },
  });
  const test = { params: { id: tested.id } };
  await record('sendCampaign', { ...test, body: {} });
  await eventually(async () => (await record('getCampaign', test)).status === 'sending');
  await record('selectCampaignWinner', { ...test, body: { variant: 'b' } });
  await record('cancelCampaign', { ...test, body: {} });
  await record('exportCampaignAnalytics', { ...campaign, query: { by: 'domain' } });
  await record('compareCampaigns', { query: { ids: tested.id } });
  // Midnights, so that the recorded request is the same on every day.
  const midnight = (days: number) => new Date(Date.now() - (Date.now() % 86_400_000) + days * 86_400_000).toISOString();
  await record('getMessageAnalytics');
  await record('summarizeCampaigns', { query: { from: midnight(-30), to: midnight(1), timezone: 'Europe/Berlin' } });
  await record('getCampaignSettings', {});
  await record('updateCampaignSettings', {
    body: {
      quiet_hours: { from: '21:00', to: '08:00', timezone: 'Europe/Berlin' },
      topics: [{ id: 'newsletter', name: 'Newsletter' }],
    },
  });
  await record('updateCampaignSettings', { body: { quiet_hours: null } });
  await record('cancelCampaign', { ...campaign, body: {} });
  const { id } = await record('createCampaign', {
    body: { name: 'Never', subject: 'Never', from: { email: 'news@example.com' }, html: '<p>Never</p>', audience: { include: ['all'] } },
  });
  await record('deleteCampaign', { params: { id } });
  const copy = { params: { id: (await record('duplicateCampaign', { ...campaign, body: { name: 'Spring news, again' } })).id } };
  await record('sendCampaign', { ...copy, body: { schedule_at: new Date(Date.now() + 86_400_000).toISOString() } });
  await record('unscheduleCampaign', { ...copy, body: {} });
  await approve(record);
  await useTemplates(record, fixtures);
  await useCoupons(record, fixtures);
  await useEditor(record, fixtures);
  await useDelivery(record);
}

/** The approval by a second person, who is signed in. */
async function approve(record: RecordOperation) {
  const { invitation_url } = await record('inviteUser', { body: { email: 'bea@example.com', name: 'Bea', role: 'admin' } });
  const headers = await signInUser(invitation_url);
  await record('updateCampaignSettings', { headers, body: { approval: 'always' } });
  const from = { email: 'news@example.com' };
  const body = { name: 'Summer news', subject: 'Summer', from, html: '<p>Summer is here.</p>', audience: { include: ['all'] } };
  const campaign = { params: { id: (await record('createCampaign', { body })).id } };
  const sending = { ...campaign, body: { schedule_at: new Date(Date.now() + 86_400_000).toISOString() } };
  const response = await record('sendCampaign', sending);
  await record('rejectCampaign', { ...campaign, headers, body: { revision: response.revision, comment: 'The subject is too short.' } });
  await record('updateCampaign', { ...campaign, body: { subject: 'Summer is here' } });
  const { revision } = await record('sendCampaign', sending);
  await record('getCampaignApproval', campaign);
  await record('approveCampaign', { ...campaign, headers, body: { revision } });
  await record('unscheduleCampaign', { ...campaign, body: {} });
  await record('updateCampaignSettings', { headers, body: { approval: 'off' } });
  await comment(record, headers, { resource_type: 'campaign', resource_id: campaign.params.id });
}

/** Comments by a user who is signed in. */
async function comment(record: RecordOperation, headers: Record<string, string>, about: { resource_type: string; resource_id: string }) {
  const { items } = await record('listUsersToMention', { headers, query: { resource_type: about.resource_type } });
  const mentions = items.slice(0, 1).map(({ id }: { id: string }) => id);
  const body = { ...about, text: '@Bea Is the link to the shop right?', mentions };
  const one = { params: { id: (await record('createComment', { headers, body })).id } };
  await record('listComments', { query: about });
  await record('getComment', one);
  await record('updateComment', { ...one, headers, body: { text: '@Bea Are the links to the shop right?' } });
  await record('resolveComment', { ...one, headers, body: {} });
  await record('reopenComment', { ...one, headers, body: {} });
  await record('listMentions', { headers });
  await record('markMentionsRead', { headers, body: {} });
  await record('deleteComment', { ...one, headers });
}

/** What the email editor uses. */
async function useEditor(record: RecordOperation, fixtures: Things) {
  const image = { params: { id: (await record('uploadImage', { body: { name: 'hero.png', content: png } })).id } };
  await record('listImages');
  const { url } = await record('getImage', image);
  await record('getBrand');
  const address = { company_name: 'Example Ltd', postal_address: '1 Example Street\nLondon' };
  await record('updateBrand', {
    body: { ...address, social_links: [{ network: 'linkedin', url: 'https://linkedin.com/company/example' }] },
  });
  const content = {
    subject: 'Hello {{ contact.first_name | default: "there" }}',
    html: `<p>Hello {{ contact.first_name }}</p><img src="${url}" alt="Spring">`,
  };
  await record('previewContent', { body: { ...content, contact_id: fixtures.contacts } });
  await record('checkLinks', { body: { urls: ['http://shop.localhost/spring', 'mailto:news@example.com'] } });
  const from = { email: 'news@example.com', name: 'Example News' };
  await record('testContent', { body: { to: ['editor@example.com'], contact_id: fixtures.contacts, from, content } });
  await record('deleteImage', image);
}

/** A red image of 3 × 2 pixels. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAEklEQVR4AWI6w8DwH4aZGJAAAAAA//8oLckKAAAABklEQVQDAGhmBWbdDDM4AAAAAElFTkSuQmCC';

async function useCoupons(record: RecordOperation, fixtures: Things) {
  const coupon = of(fixtures, 'coupons');
  await record('listCoupons');
  await record('getCoupon', coupon);
  await record('updateCoupon', { ...coupon, body: { description: '10 % off in spring' } });
  await record('addCouponCodes', { ...coupon, body: { codes: ['SPRING-P4TW8RNC', 'SPRING-H6ZB3VEJ'] } });
  await record('generateCouponCodes', { ...coupon, body: { count: 100, prefix: 'SPRING-' } });
  await record('deleteCoupon', coupon);
}

async function useTemplates(record: RecordOperation, fixtures: Things) {
  const template = of(fixtures, 'templates');
  await record('listTemplates');
  await record('getTemplate', template);
  await record('updateTemplate', { ...template, body: { subject: 'Your order {{ data.order }} is on its way' } });
  await record('listTemplateVersions', template);
  await record('getTemplateAnalytics', template);
  await record('previewTemplate', { ...template, body: { contact_id: fixtures.contacts, data: { order: 'A-1001' } } });
  const { id } = await record('duplicateTemplate', { ...template, body: { name: 'Receipt, copy' } });
  await record('deleteTemplate', { params: { id } });
  const message = await record('sendMessage', {
    body: {
      from: { email: 'shop@example.com', name: 'Example Shop' },
      to: { contact_id: fixtures.contacts },
      template_id: fixtures.templates,
      data: { order: 'A-1001' },
    },
  });
  await record('getMessage', { params: { id: message.id } });
  await record('listMessages', { query: { limit: '2' } });
}

async function useDelivery(record: RecordOperation) {
  const provider = { params: { id: (await record('createProvider', { body: ses })).id } };
  await record('listProviders');
  await record('getProvider', provider);
  await record('deleteProvider', provider);
  const sender = { params: { id: (await record('createSender', { body: { domain: 'news.example.com' } })).id } };
  await record('listSenders');
  await record('getSender', sender);
  await record('checkSender', { ...sender, body: {} });
  await record('deleteSender', sender);
}

const ses = { name: 'Amazon SES', kind: 'ses', topic_arn: 'arn:aws:sns:eu-west-1:123456789012:ses-feedback' };
