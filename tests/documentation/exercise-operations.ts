import { eventually } from '@mp/test-kit/eventually';
import { exerciseLeadpulse } from './exercise-leadpulse.ts';
import { definition, known, type RecordOperation } from './fixtures.ts';

/** Exercises every operation that the fixtures have not. */
export async function exerciseOperations(record: RecordOperation, fixtures: Record<string, string>) {
  await useContacts(record, fixtures);
  await useSegments(record, fixtures);
  await useCampaigns(record, fixtures);
  await useLeadpulse(record, fixtures);
  await useWorkflows(record, fixtures);
  await useWebhooks(record, fixtures);
  await useSettings(record, fixtures);
}

type Things = Record<string, string>;
const of = (fixtures: Things, collection: string) => ({ params: { id: fixtures[collection] ?? '' } });

async function useContacts(record: RecordOperation, fixtures: Things) {
  const contact = of(fixtures, 'contacts');
  await record('listContacts', { query: { tag: 'newsletter', limit: '2' } });
  await record('listContacts', { query: { q: 'example.com', status: 'active', limit: '1' } });
  await record('getContact', contact);
  await record('updateContact', { ...contact, body: { job_title: 'Countess', attributes: { seats: 6 } } });
  await record('upsertContact', { query: { match_on: 'email' }, body: { email: 'upsert@example.com', first_name: 'Ursula' } });
  await record('upsertContact', { query: { match_on: 'email' }, body: { email: 'upsert@example.com', last_name: 'Unwin' } });
  await record('batchContacts', { body: { contacts: [{ email: 'one@example.com' }, { email: 'two@example.com', tags: ['vip'] }] } });
  await record('searchContacts', { body: { rule: definition } });
  await record('listAttributes');
  await record('getContactSettings');
  await record('updateContactSettings', { body: { default_consent: 'pending' } });
  await record('getConsent', contact);
  await record('changeConsent', { ...contact, body: { email: { status: 'subscribed', method: 'form', evidence: { ip: '203.0.113.7' } } } });
  await record('listConsentLog', contact);
  await eventually(async () => (await record('getTimeline', contact)).items.length > 0);
  await record('undoMerge', { params: { id: fixtures.contacts ?? '', merge_id: fixtures.merge_id ?? '' } });
  await record('listSuppressions');
  await record('addSuppression', { body: { email: 'gone@example.com', reason: 'manual' } });
  await record('getSuppression', of(fixtures, 'suppressions'));
  await record('removeSuppression', of(fixtures, 'suppressions'));
  await record('listImports');
  await eventually(async () => (await record('getImport', of(fixtures, 'imports'))).status === 'completed');
  await record('getImportErrors', of(fixtures, 'imports'));
  await record('listExports');
  await eventually(async () => (await record('getExport', of(fixtures, 'exports'))).status === 'completed');
  await record('downloadExport', of(fixtures, 'exports'));
  const lines = { params: { id: (await record('createExport', { body: { format: 'ndjson', rule: definition } })).id } };
  await eventually(async () => (await record('getExport', lines)).status === 'completed');
  await record('downloadExport', lines);

  const select = { filter: { tag: 'newsletter' } };
  const bulk = { params: { id: (await record('createBulkJob', { body: { select, action: 'add_tag', tag: 'reader' } })).id } };
  await record('listBulkJobs', { query: { limit: '1' } });
  await eventually(async () => (await record('getBulkJob', bulk)).status === 'completed');
  await record('getBulkResults', bulk);

  const line = JSON.stringify({ email: 'katherine@example.com', first_name: 'Katherine' });
  await record('createImport', { type: 'application/x-ndjson', body: `${line}\n` });
  // Rows and jobs that change nothing, because each change would keep the other services busy.
  const many = 'one@example.com\n'.repeat(20_000);
  const { id: long } = await record('createImport', { type: 'text/csv', body: `email\n${many}` });
  await record('cancelImport', { params: { id: long } });
  const untagEveryone = async (tag: string) =>
    (await record('createBulkJob', { body: { select: { filter: {} }, action: 'remove_tag', tag } })).id;
  // The second job waits for its turns beside the first. On a fast machine it can still be complete before it is cancelled.
  const isCancelled = async (attempt: number) => {
    await untagEveryone(`first ${attempt}`);
    const params = { id: await untagEveryone(`second ${attempt}`) };
    return record('cancelBulkJob', { params }).then(
      () => true,
      () => false,
    );
  };
  let attempt = 1;
  while (!(await isCancelled(attempt))) attempt += 1;
}

async function useSegments(record: RecordOperation, fixtures: Things) {
  await record('listSegments');
  await record('previewSegment', { body: { definition } });
  await eventually(async () => (await record('getSegment', of(fixtures, 'segments'))).status === 'ready');
  const filter = { segment_id: fixtures.segments ?? '' };
  await record('createExport', { body: { filter } });
  await record('updateSegment', { ...of(fixtures, 'segments'), body: { description: 'Contacts who live in Berlin.' } });
  const members = { params: { id: fixtures.segments ?? '', contact_id: fixtures.contacts ?? '' } };
  await eventually(async () => (await record('listSegmentContacts', of(fixtures, 'segments'))).items.length > 0);
  await record('explainSegmentMembership', members);
  await record('listContactSegments', { params: { id: members.params.contact_id } });
  await record('listSegmentChanges', of(fixtures, 'segments'));
  await record('getSegmentSeries', {
    ...of(fixtures, 'segments'),
    query: { timezone: 'Europe/Berlin', from: '2026-05-01', to: '2026-05-03' },
  });
  await record('listSegmentVersions', of(fixtures, 'segments'));
  const list = { params: { id: (await record('createSegment', { body: { name: 'Trade fair', kind: 'static' } })).id } };
  const contacts = { contacts: [{ id: fixtures.contacts ?? '' }, { email: 'nobody@example.com' }] };
  await record('addSegmentContacts', { ...list, body: contacts });
  await record('removeSegmentContacts', { ...list, body: contacts });
  await record('archiveSegment', { ...list, body: {} });
  await record('restoreSegment', { ...list, body: {} });
}

async function useLeadpulse(record: RecordOperation, fixtures: Things) {
  await record('getLeadpulseAnalytics', { query: { by: 'page' } });
  await record('getVisitor', of(fixtures, 'visitors'));
  await exerciseLeadpulse(record);
}

async function useCampaigns(record: RecordOperation, fixtures: Things) {
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
  await record('exportCampaignLedger', { ...campaign, query: { state: 'sent' } });
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
  await useTemplates(record, fixtures);
  await useEditor(record, fixtures);
  await useDelivery(record);
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

async function useWorkflows(record: RecordOperation, fixtures: Things) {
  const workflow = of(fixtures, 'workflows');
  const run = { params: { run_id: fixtures.runs ?? '' } };
  await record('listWorkflows');
  await record('getWorkflow', workflow);
  await record('updateWorkflow', { ...workflow, body: { description: 'Emails for new contacts.' } });
  await record('listWorkflowVersions', workflow);
  await record('simulateWorkflow', { ...workflow, body: { contact_id: fixtures.contacts } });
  await record('simulateWorkflowDraft', { body: abandonedCart(fixtures.contacts) });
  await record('getWorkflowAnalytics', workflow);
  await record('getWorkflowSeries', { ...workflow, query: { interval: 'hour' } });
  await record('listWorkflowRuns', { ...workflow, query: { include: 'contact' } });
  await record('getWorkflowRun', run);
  await record('cancelWorkflowRun', { ...run, body: {} });
  await record('rerunWorkflowRun', { ...run, body: { step_id: 'wait' } });
  await record('skipWorkflowRunStep', { ...run, body: {} });
  await record('actOnWorkflowRuns', { ...workflow, body: { action: 'cancel', filter: { step_id: 'wait' } } });
  await record('moveWorkflowRuns', { ...workflow, body: { dry_run: true } });
  await record('getWorkflowSettings');
  await record('updateWorkflowSettings', { body: { quiet_hours: null } });
  await record('pauseWorkflow', { ...workflow, body: {} });
  await record('activateWorkflow', { ...workflow, body: {} });
  await record('archiveWorkflow', { ...workflow, body: {} });
  await record('getWebhookSecret');
  await retryFailedRun(record);
  const steps = [{ id: 'wait', type: 'delay', for: 'P1D' }];
  const { id } = await record('createWorkflow', { body: { name: 'Never', status: 'draft', trigger: { type: 'manual' }, steps } });
  await record('deleteWorkflow', { params: { id } });
  const trigger = { type: 'webhook_received', contact: { email: '/customer/email' } };
  const hooked = await record('createWorkflow', { body: { name: 'Thank buyers', status: 'draft', trigger, steps } });
  await record('getWorkflowHook', { params: { id: hooked.id } });
}

async function useWebhooks(record: RecordOperation, fixtures: Things) {
  const webhook = of(fixtures, 'webhooks');
  await record('listWebhookEventTypes');
  await record('listWebhooks');
  await record('getWebhook', webhook);
  await record('updateWebhook', { ...webhook, body: { description: 'Contacts in the CRM.' } });
  await record('listWebhookDeliveries', webhook);
  await record('getWebhookDelivery', of(fixtures, 'deliveries'));
  await record('replayWebhookDelivery', { ...of(fixtures, 'deliveries'), body: {} });
  const since = new Date(Date.now() - 60_000).toISOString();
  await record('replayWebhookDeliveries', { ...webhook, body: { since, status: 'failed' } });
  await record('rotateWebhookSecret', { ...webhook, body: { grace_seconds: 3_600 } });
  const { id: other } = await record('createWebhook', { body: { url: 'https://example.com/other', events: ['*'] } });
  await record('deleteWebhook', { params: { id: other } });
  await record('streamWebhookEvents', { query: { events: 'contact.*,segment.*' } });
  await record('triggerWebhookEvent', { body: { type: 'contact.created' } });
}

/** An unsubscribed contact gets no email, so the step and the run fail. */
async function retryFailedRun(record: RecordOperation) {
  const { id: contact_id } = await record('createContact', {
    body: { email: 'left@example.com', consent: { email: { status: 'unsubscribed' } } },
  });
  const { id } = await record('createWorkflow', {
    body: {
      name: 'Fails without consent',
      trigger: { type: 'manual' },
      on_error: 'exit',
      steps: [{ id: 'mail', type: 'send', subject: 'Hello', from: { email: 'news@example.com' }, html: '<p>Hello</p>' }],
    },
  });
  const { runs } = await known(() => record('triggerWorkflow', { params: { id }, body: { contact_id } }));
  const run = { params: { run_id: runs[0].run_id } };
  await eventually(async () => (await record('getWorkflowRun', run)).state === 'failed');
  await record('retryWorkflowRun', { ...run, body: {} });
}

/** A draft with its simulation: an abandoned cart that is reminded of after an hour. */
const abandonedCart = (contact_id: string | undefined) => ({
  contact_id,
  definition: {
    trigger: { type: 'event', name: 'added_to_cart' },
    exit_when: [{ type: 'unsubscribed' }],
    quiet_hours: { start: '21:00', end: '08:00', timezone: 'Europe/Berlin' },
    steps: [
      {
        ...{ id: 'wait', type: 'wait_until', any: [{ type: 'event', name: 'order_placed' }], timeout: 'PT1H' },
        ...{ next: null, on_timeout: 'offer' },
      },
      {
        ...{ id: 'offer', type: 'webhook', url: 'https://shop.example.com/offers' },
        ...{ capture: { code: '/code' }, next: 'remind' },
      },
      {
        ...{ id: 'remind', type: 'send', subject: 'Still interested?', from: { email: 'shop@example.com' } },
        ...{ html: '<p>Your cart is waiting. Your code is {{ responses.offer.code }}.</p>', next: 'goal' },
      },
      { id: 'goal', type: 'goal', any: [{ type: 'event', name: 'order_placed' }], within: 'P7D' },
    ],
  },
  responses: { offer: { code: 'BACK10' } },
  from: '2026-03-02T12:00:00Z',
  events: [{ type: 'event', name: 'order_placed', after: 'P2D' }],
  expect: [{ step_id: 'remind', state: 'converted' }],
});

async function useSettings(record: RecordOperation, fixtures: Things) {
  const [key, client, user] = [of(fixtures, 'api-keys'), of(fixtures, 'oauth-clients'), of(fixtures, 'users')];
  await record('getMe');
  await record('getAccount');
  await record('updateAccount', { body: { name: 'Example Ltd.', timezone: 'Europe/Berlin' } });
  await record('getPlan');
  await record('getUsage');
  await record('listUsageHistory');
  await record('listAuditLog');
  await record('listApiKeys');
  await record('getApiKey', key);
  await record('updateApiKey', { ...key, body: { name: 'Weekly reports' } });
  await record('rotateApiKey', { ...key, body: { grace_seconds: 3_600 } });
  await record('revokeApiKey', { ...key, body: {} });
  await record('listOauthClients');
  await record('getOauthClient', client);
  await record('updateOauthClient', { ...client, body: { name: 'Web shop' } });
  await record('rotateOauthClient', { ...client, body: { grace_seconds: 3_600 } });
  await record('revokeOauthClient', { ...client, body: {} });
  await record('listUsers');
  await record('getUser', user);
  await record('updateUser', { ...user, body: { role: 'viewer' } });
  await record('inviteUserAgain', { ...user, body: {} });
  await record('deleteUser', user);

  // Deletes last what other operations need.
  const { id: erased } = await record('createContact', { body: { email: 'forget-me@example.com' } });
  const erasure = await record('eraseContact', { params: { id: erased }, body: { suppress: true } });
  await record('getErasure', { params: { id: erasure.id } });
  await record('deleteSegment', of(fixtures, 'segments'));
  await record('deleteContact', of(fixtures, 'contacts'));
  await record('restoreContact', of(fixtures, 'contacts'));
}
