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
  await useSettings(record, fixtures);
}

type Things = Record<string, string>;
const of = (fixtures: Things, collection: string) => ({ params: { id: fixtures[collection] ?? '' } });

async function useContacts(record: RecordOperation, fixtures: Things) {
  const contact = of(fixtures, 'contacts');
  await record('listContacts', { query: { tag: 'newsletter', limit: '2' } });
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

  const line = JSON.stringify({ email: 'katherine@example.com', first_name: 'Katherine' });
  await record('createImport', { type: 'application/x-ndjson', body: `${line}\n` });
  const many = Array.from({ length: 20_000 }, (_, index) => `row${index}@example.com`);
  const { id: long } = await record('createImport', { type: 'text/csv', body: `email\n${many.join('\n')}\n` });
  await record('cancelImport', { params: { id: long } });
}

async function useSegments(record: RecordOperation, fixtures: Things) {
  await record('listSegments');
  await record('previewSegment', { body: { definition } });
  await eventually(async () => (await record('getSegment', of(fixtures, 'segments'))).status === 'ready');
  await record('updateSegment', { ...of(fixtures, 'segments'), body: { description: 'Contacts who live in Berlin.' } });
  const members = { params: { id: fixtures.segments ?? '', contact_id: fixtures.contacts ?? '' } };
  await eventually(async () => (await record('listSegmentContacts', of(fixtures, 'segments'))).items.length > 0);
  await record('explainSegmentMembership', members);
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
  await record('dryRunCampaign', { ...campaign, body: {} });
  await record('sendCampaign', { ...campaign, body: {} });
  await eventually(async () => (await record('getCampaign', campaign)).status === 'sending');
  await record('pauseCampaign', { ...campaign, body: {} });
  await record('getCampaignLedger', campaign);
  await record('getCampaignMessage', { params: { ...campaign.params, contact_id: fixtures.contacts ?? '' } });
  await record('resolveUnknownMessages', { ...campaign, body: { action: 'leave' } });
  await record('resumeCampaign', { ...campaign, body: {} });
  await record('getCampaignAnalytics', campaign);
  await record('cancelCampaign', { ...campaign, body: {} });
  const { id } = await record('createCampaign', {
    body: { name: 'Never', subject: 'Never', from: { email: 'news@example.com' }, html: '<p>Never</p>', audience: { include: ['all'] } },
  });
  await record('deleteCampaign', { params: { id } });
}

async function useWorkflows(record: RecordOperation, fixtures: Things) {
  const workflow = of(fixtures, 'workflows');
  const run = { params: { run_id: fixtures.runs ?? '' } };
  await record('listWorkflows');
  await record('getWorkflow', workflow);
  await record('updateWorkflow', { ...workflow, body: { description: 'Emails for new contacts.' } });
  await record('listWorkflowVersions', workflow);
  await record('simulateWorkflow', { ...workflow, body: { contact_id: fixtures.contacts } });
  await record('getWorkflowAnalytics', workflow);
  await record('listWorkflowRuns', workflow);
  await record('getWorkflowRun', run);
  await record('cancelWorkflowRun', { ...run, body: {} });
  await record('pauseWorkflow', { ...workflow, body: {} });
  await record('activateWorkflow', { ...workflow, body: {} });
  await record('archiveWorkflow', { ...workflow, body: {} });
  await record('getWebhookSecret');
  await retryFailedRun(record);
  const steps = [{ id: 'wait', type: 'delay', for: 'P1D' }];
  const { id } = await record('createWorkflow', { body: { name: 'Never', status: 'draft', trigger: { type: 'manual' }, steps } });
  await record('deleteWorkflow', { params: { id } });
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

async function useSettings(record: RecordOperation, fixtures: Things) {
  const [key, client, user] = [of(fixtures, 'api-keys'), of(fixtures, 'oauth-clients'), of(fixtures, 'users')];
  await record('getMe');
  await record('getAccount');
  await record('updateAccount', { body: { name: 'Example Ltd.' } });
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
}
