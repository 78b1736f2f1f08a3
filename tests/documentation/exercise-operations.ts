import { eventually } from '@mp/test-kit/eventually';
import { exerciseCampaigns } from './exercise-campaigns.ts';
import { exerciseLeadpulse } from './exercise-leadpulse.ts';
import { exerciseWebhooks, exerciseWorkflows } from './exercise-workflows.ts';
import { definition, of, type RecordOperation, type Things } from './fixtures.ts';

/** Exercises every operation that the fixtures have not. */
export async function exerciseOperations(record: RecordOperation, fixtures: Record<string, string>) {
  await useContacts(record, fixtures);
  await useSegments(record, fixtures);
  await exerciseCampaigns(record, fixtures);
  await useLeadpulse(record, fixtures);
  await exerciseWorkflows(record, fixtures);
  await exerciseWebhooks(record, fixtures);
  await useSettings(record, fixtures);
}

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
  await record('batchSuppressions', {
    body: {
      suppressions: [
        { email: 'bounced@example.com', reason: 'hard_bounce', suppressed_at: '2026-03-01T09:30:00Z', note: 'Amazon SES' },
        { email: 'not an address', reason: 'complaint' },
      ],
      start_workflows: false,
    },
  });
  await record('getSuppression', of(fixtures, 'suppressions'));
  await record('removeSuppression', of(fixtures, 'suppressions'));
  await useForms(record, fixtures);
  await record('listImports');
  await eventually(async () => (await record('getImport', of(fixtures, 'imports'))).consequences.status === 'applied');
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
  await eventually(async () => (await record('getBulkJob', bulk)).consequences.status === 'applied');
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

async function useForms(record: RecordOperation, fixtures: Things) {
  const form = of(fixtures, 'forms');
  await record('listForms');
  await record('getForm', form);
  await record('updateForm', { ...form, body: { title: { en: 'Stay in touch' }, allowed_origins: ['https://www.example.com'] } });
  await record('listFormVersions', form);
  await record('reportForm', { ...form, query: { from: '2026-11-01', to: '2026-11-02' } });
  const submission = { fields: { email: 'katherine@example.com' }, consents: ['news'] };
  await record('dryRunForm', { ...form, body: submission });
  await record('duplicateForm', { ...form, body: { name: 'Newsletter in the footer' } });
  await record('archiveForm', form);
  await record('restoreForm', form);
  await record('deleteForm', form);
}

async function useSegments(record: RecordOperation, fixtures: Things) {
  await record('listSegments');
  await record('previewSegment', { body: { definition } });
  await eventually(async () => (await record('getSegment', of(fixtures, 'segments'))).status === 'ready');
  await record('getSegment', { ...of(fixtures, 'segments'), query: { include: 'backlog' } });
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

/** The provider stays disabled, because nothing responds at its address. */
async function useSingleSignOn(record: RecordOperation) {
  const body = {
    ...{ name: 'Acme', issuer: 'https://login.example.com', client_id: 'marketing', client_secret: 'from the provider', enabled: false },
    ...{ role_claim: 'groups', role_mapping: [{ value: 'marketing', role: 'editor' }], just_in_time: true },
  };
  const provider = { params: { id: (await record('createIdentityProvider', { body })).id } };
  await record('listIdentityProviders');
  await record('getIdentityProvider', provider);
  await record('updateIdentityProvider', { ...provider, body: { default_role: null } });
  await record('deleteIdentityProvider', provider);
  const domain = { params: { id: (await record('createDomain', { body: { domain: 'example.com' } })).id } };
  await record('listDomains');
  await record('getDomain', domain);
  await record('verifyDomain', { ...domain, body: {} });
  await record('deleteDomain', domain);
  const role = {
    params: { id: (await record('createRole', { body: { name: 'Author', scopes: ['campaigns:read', 'campaigns:write'] } })).id },
  };
  await record('listRoles');
  await record('getRole', role);
  await record('updateRole', { ...role, body: { description: 'Creates and edits campaigns, but does not send them.' } });
  await record('deleteRole', role);
}

async function useSettings(record: RecordOperation, fixtures: Things) {
  const [key, client, user] = [of(fixtures, 'api-keys'), of(fixtures, 'oauth-clients'), of(fixtures, 'users')];
  await record('getMe');
  await record('getAccount');
  await record('updateAccount', { body: { name: 'Example Ltd.', timezone: 'Europe/Berlin' } });
  await record('getPlan');
  await record('getUsage');
  await record('listUsageHistory');
  await record('listAuditLog');
  await record('exportAuditLog');
  await record('exportAuditLog', { query: { format: 'ndjson' } });
  await record('verifyAuditLog');
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
  await record('unlinkUser', { ...user, body: {} });
  await record('deleteUser', user);
  await useSingleSignOn(record);

  // Deletes last what other operations need.
  const { id: erased } = await record('createContact', { body: { email: 'forget-me@example.com' } });
  const erasure = await record('eraseContact', { params: { id: erased }, body: { suppress: true } });
  await record('getErasure', { params: { id: erasure.id } });
  await record('deleteSegment', of(fixtures, 'segments'));
  await record('deleteContact', of(fixtures, 'contacts'));
  await record('restoreContact', of(fixtures, 'contacts'));
}
