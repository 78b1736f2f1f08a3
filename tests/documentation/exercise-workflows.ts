import { eventually } from '@mp/test-kit/eventually';
import { known, of, type RecordOperation, type Things } from './fixtures.ts';
import { signInUser } from './sign-in-user.ts';

export async function exerciseWorkflows(record: RecordOperation, fixtures: Things) {
  const workflow = of(fixtures, 'workflows');
  const run = { params: { id: fixtures.runs ?? '' } };
  await record('listWorkflows');
  await record('getWorkflow', workflow);
  await record('updateWorkflow', { ...workflow, body: { description: 'Emails for new contacts.' } });
  await record('listWorkflowVersions', workflow);
  await record('simulateWorkflow', { ...workflow, body: { contact_id: fixtures.contacts } });
  await record('simulateWorkflowDraft', { body: abandonedCart(fixtures.contacts) });
  await record('getWorkflowAnalytics', { ...workflow, query: { include: 'emails' } });
  await record('exportWorkflowAnalytics', workflow);
  const ofWorkflow = { query: { workflow_id: workflow.params.id } };
  await record('getMessageLedger', ofWorkflow);
  await record('exportMessageLedger', ofWorkflow);
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
  await record('getWorkflowActivation', workflow);
  await record('activateWorkflow', { ...workflow, body: {} });
  await record('archiveWorkflow', { ...workflow, body: {} });
  await record('getWebhookSecret');
  await retryFailedRun(record);
  const steps = [{ id: 'wait', type: 'delay', for: 'P1D' }];
  const { id } = await record('createWorkflow', { body: { name: 'Never', status: 'draft', trigger: { type: 'manual' }, steps } });
  await record('deleteWorkflow', { params: { id } });
  await approve(record);
  const trigger = { type: 'webhook_received', contact: { email: '/customer/email' } };
  const hooked = await record('createWorkflow', { body: { name: 'Thank buyers', status: 'draft', trigger, steps } });
  await record('getWorkflowHook', { params: { id: hooked.id } });
  await emailReport(record, workflow.params.id);
}

async function emailReport(record: RecordOperation, workflow_id: string) {
  const { id: user } = await record('inviteUser', { body: { email: 'dora@example.com', name: 'Dora', role: 'viewer' } });
  const weekly = { weekday: 'monday', time: '08:00' };
  const { id } = await record('createReportEmail', { body: { workflow_id, user_ids: [user], weekly } });
  const report = { params: { id } };
  await record('listReportEmails', { query: { workflow_id } });
  await record('getReportEmail', report);
  await record('updateReportEmail', { ...report, body: { weekly: { weekday: 'friday', time: '16:30' } } });
  await record('deleteReportEmail', report);
}

/** The approval by a second person, who is signed in. */
async function approve(record: RecordOperation) {
  const { invitation_url } = await record('inviteUser', { body: { email: 'cleo@example.com', name: 'Cleo', role: 'admin' } });
  const headers = await signInUser(invitation_url);
  await record('updateWorkflowSettings', { headers, body: { approval: 'always' } });
  const steps = [{ id: 'wait', type: 'delay', for: 'P1D' }];
  const { id } = await record('createWorkflow', { body: { name: 'Thank you', status: 'draft', trigger: { type: 'manual' }, steps } });
  const workflow = { params: { id } };
  const response = await record('activateWorkflow', { ...workflow, body: {} });
  await record('rejectWorkflow', { ...workflow, headers, body: { revision: response.revision, comment: 'Wait three days.' } });
  const { revision } = await record('activateWorkflow', { ...workflow, body: {} });
  await record('getWorkflowApproval', workflow);
  await record('approveWorkflow', { ...workflow, headers, body: { revision } });
  await record('updateWorkflowSettings', { headers, body: { approval: 'off' } });
}

export async function exerciseWebhooks(record: RecordOperation, fixtures: Things) {
  const webhook = of(fixtures, 'webhooks');
  await record('listWebhookEventTypes');
  await record('listWebhooks');
  await record('getWebhook', webhook);
  await record('updateWebhook', { ...webhook, body: { description: 'Contacts in the CRM.' } });
  await record('listWebhookDeliveries', webhook);
  await record('getWebhookDelivery', of(fixtures, 'deliveries'));
  await record('replayWebhookDelivery', { ...of(fixtures, 'deliveries'), body: {} });
  const from = new Date(Date.now() - 60_000).toISOString();
  await record('replayWebhookDeliveries', { ...webhook, body: { from, status: 'failed' } });
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
  const run = { params: { id: runs[0].run_id } };
  await eventually(async () => (await record('getWorkflowRun', run)).state === 'failed');
  await record('retryWorkflowRun', { ...run, body: {} });
}

/** A draft with its simulation: an abandoned cart that is reminded of after an hour. */
const abandonedCart = (contact_id: string | undefined) => ({
  contact_id,
  definition: {
    trigger: { type: 'event', name: 'added_to_cart' },
    exit_when: [{ type: 'unsubscribed' }],
    quiet_hours: { from: '21:00', to: '08:00', timezone: 'Europe/Berlin' },
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
  expect: [{ step_id: 'remind', status: 'converted' }],
});
