import { eventually } from '@mp/test-kit/eventually';
import { definition, known, type Tell } from './fixtures.ts';

/** Exercises every operation that the fixtures have not. */
export async function useThings(tell: Tell, things: Record<string, string>) {
  await useContacts(tell, things);
  await useSegments(tell, things);
  await useCampaigns(tell, things);
  await useLeadpulse(tell, things);
  await useWorkflows(tell, things);
  await useSettings(tell, things);
}

type Things = Record<string, string>;
const of = (things: Things, collection: string) => ({ params: { id: things[collection] ?? '' } });

async function useContacts(tell: Tell, things: Things) {
  const contact = of(things, 'contacts');
  await tell('listContacts', { query: { tag: 'newsletter', limit: '2' } });
  await tell('getContact', contact);
  await tell('updateContact', { ...contact, body: { job_title: 'Countess', attributes: { seats: 6 } } });
  await tell('upsertContact', { query: { match_on: 'email' }, body: { email: 'upsert@example.com', first_name: 'Ursula' } });
  await tell('upsertContact', { query: { match_on: 'email' }, body: { email: 'upsert@example.com', last_name: 'Unwin' } });
  await tell('batchContacts', { body: { contacts: [{ email: 'one@example.com' }, { email: 'two@example.com', tags: ['vip'] }] } });
  await tell('searchContacts', { body: { rule: definition } });
  await tell('listAttributes');
  await tell('getContactSettings');
  await tell('updateContactSettings', { body: { default_consent: 'pending' } });
  await tell('getConsent', contact);
  await tell('changeConsent', { ...contact, body: { email: { status: 'subscribed', method: 'form', evidence: { ip: '203.0.113.7' } } } });
  await tell('listConsentLog', contact);
  await eventually(async () => (await tell('getTimeline', contact)).items.length > 0);
  await tell('undoMerge', { params: { id: things.contacts ?? '', merge_id: things.merge_id ?? '' } });
  await tell('listSuppressions');
  await tell('addSuppression', { body: { email: 'gone@example.com', reason: 'manual' } });
  await tell('getSuppression', of(things, 'suppressions'));
  await tell('removeSuppression', of(things, 'suppressions'));
  await tell('listImports');
  await eventually(async () => (await tell('getImport', of(things, 'imports'))).status === 'completed');
  await tell('getImportErrors', of(things, 'imports'));
  await tell('listExports');
  await eventually(async () => (await tell('getExport', of(things, 'exports'))).status === 'completed');
  await tell('downloadExport', of(things, 'exports'));
  const lines = { params: { id: (await tell('createExport', { body: { format: 'ndjson', rule: definition } })).id } };
  await eventually(async () => (await tell('getExport', lines)).status === 'completed');
  await tell('downloadExport', lines);

  const line = JSON.stringify({ email: 'katherine@example.com', first_name: 'Katherine' });
  await tell('createImport', { type: 'application/x-ndjson', body: `${line}\n` });
  const many = Array.from({ length: 20_000 }, (_, index) => `row${index}@example.com`);
  const { id: long } = await tell('createImport', { type: 'text/csv', body: `email\n${many.join('\n')}\n` });
  await tell('cancelImport', { params: { id: long } });
}

async function useSegments(tell: Tell, things: Things) {
  await tell('listSegments');
  await tell('previewSegment', { body: { definition } });
  await eventually(async () => (await tell('getSegment', of(things, 'segments'))).status === 'ready');
  await tell('updateSegment', { ...of(things, 'segments'), body: { description: 'Contacts who live in Berlin.' } });
  const members = { params: { id: things.segments ?? '', contact_id: things.contacts ?? '' } };
  await eventually(async () => (await tell('listSegmentContacts', of(things, 'segments'))).items.length > 0);
  await tell('explainSegmentMembership', members);
}

async function useLeadpulse(tell: Tell, things: Things) {
  await tell('getLeadpulseAnalytics', { query: { by: 'page' } });
  await tell('getVisitor', of(things, 'visitors'));
}

async function useCampaigns(tell: Tell, things: Things) {
  const campaign = of(things, 'campaigns');
  await tell('listCampaigns');
  await tell('getCampaign', campaign);
  // Slow enough to be paused while it is sending.
  await tell('updateCampaign', {
    ...campaign,
    body: { preview_text: 'And so are we.', audience: { include: ['all'] }, throttle_per_minute: 1 },
  });
  await tell('previewCampaign', { ...campaign, body: { contact_id: things.contacts } });
  await tell('dryRunCampaign', { ...campaign, body: {} });
  await tell('sendCampaign', { ...campaign, body: {} });
  await eventually(async () => (await tell('getCampaign', campaign)).status === 'sending');
  await tell('pauseCampaign', { ...campaign, body: {} });
  await tell('getCampaignLedger', campaign);
  await tell('getCampaignMessage', { params: { ...campaign.params, contact_id: things.contacts ?? '' } });
  await tell('resolveUnknownMessages', { ...campaign, body: { action: 'leave' } });
  await tell('resumeCampaign', { ...campaign, body: {} });
  await tell('getCampaignAnalytics', campaign);
  await tell('cancelCampaign', { ...campaign, body: {} });
  const { id } = await tell('createCampaign', {
    body: { name: 'Never', subject: 'Never', from: { email: 'news@example.com' }, html: '<p>Never</p>', audience: { include: ['all'] } },
  });
  await tell('deleteCampaign', { params: { id } });
}

async function useWorkflows(tell: Tell, things: Things) {
  const workflow = of(things, 'workflows');
  const run = { params: { run_id: things.runs ?? '' } };
  await tell('listWorkflows');
  await tell('getWorkflow', workflow);
  await tell('updateWorkflow', { ...workflow, body: { description: 'Emails for new contacts.' } });
  await tell('listWorkflowVersions', workflow);
  await tell('simulateWorkflow', { ...workflow, body: { contact_id: things.contacts } });
  await tell('getWorkflowAnalytics', workflow);
  await tell('listWorkflowRuns', workflow);
  await tell('getWorkflowRun', run);
  await tell('cancelWorkflowRun', { ...run, body: {} });
  await tell('pauseWorkflow', { ...workflow, body: {} });
  await tell('activateWorkflow', { ...workflow, body: {} });
  await tell('archiveWorkflow', { ...workflow, body: {} });
  await tell('getWebhookSecret');
  await retryFailedRun(tell);
  const steps = [{ id: 'wait', type: 'delay', for: 'P1D' }];
  const { id } = await tell('createWorkflow', { body: { name: 'Never', status: 'draft', trigger: { type: 'manual' }, steps } });
  await tell('deleteWorkflow', { params: { id } });
}

/** An unsubscribed contact gets no email, so the step and the run fail. */
async function retryFailedRun(tell: Tell) {
  const { id: contact_id } = await tell('createContact', {
    body: { email: 'left@example.com', consent: { email: { status: 'unsubscribed' } } },
  });
  const { id } = await tell('createWorkflow', {
    body: {
      name: 'Fails without consent',
      trigger: { type: 'manual' },
      on_error: 'exit',
      steps: [{ id: 'mail', type: 'send', subject: 'Hello', from: { email: 'news@example.com' }, html: '<p>Hello</p>' }],
    },
  });
  const { runs } = await known(() => tell('triggerWorkflow', { params: { id }, body: { contact_id } }));
  const run = { params: { run_id: runs[0].run_id } };
  await eventually(async () => (await tell('getWorkflowRun', run)).state === 'failed');
  await tell('retryWorkflowRun', { ...run, body: {} });
}

async function useSettings(tell: Tell, things: Things) {
  const [key, client, user] = [of(things, 'api-keys'), of(things, 'oauth-clients'), of(things, 'users')];
  await tell('getMe');
  await tell('getAccount');
  await tell('updateAccount', { body: { name: 'Example Ltd.' } });
  await tell('getPlan');
  await tell('getUsage');
  await tell('listUsageHistory');
  await tell('listAuditLog');
  await tell('listApiKeys');
  await tell('getApiKey', key);
  await tell('updateApiKey', { ...key, body: { name: 'Weekly reports' } });
  await tell('rotateApiKey', { ...key, body: { grace_seconds: 3_600 } });
  await tell('revokeApiKey', { ...key, body: {} });
  await tell('listOauthClients');
  await tell('getOauthClient', client);
  await tell('updateOauthClient', { ...client, body: { name: 'Web shop' } });
  await tell('rotateOauthClient', { ...client, body: { grace_seconds: 3_600 } });
  await tell('revokeOauthClient', { ...client, body: {} });
  await tell('listUsers');
  await tell('getUser', user);
  await tell('updateUser', { ...user, body: { role: 'viewer' } });
  await tell('inviteUserAgain', { ...user, body: {} });
  await tell('deleteUser', user);

  // Deletes last what other operations need.
  const { id: erased } = await tell('createContact', { body: { email: 'forget-me@example.com' } });
  const erasure = await tell('eraseContact', { params: { id: erased }, body: { suppress: true } });
  await tell('getErasure', { params: { id: erasure.id } });
  await tell('deleteSegment', of(things, 'segments'));
  await tell('deleteContact', of(things, 'contacts'));
}
