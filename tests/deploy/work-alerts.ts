import { type AlertCase, growing, steady } from './alert-case.ts';

/** Emails, runs, webhooks, jobs and deletions that wait or failed. */
export const workAlerts: readonly AlertCase[] = [
  {
    alert: 'PlatformMailUnknown',
    fires: { 'campaign_messages_total{state="unknown"}': '0x30 2x30' },
    severity: 'warning',
    summary: 'The delivery of some emails is unknown; decide whether to resend them.',
    silent: [{ 'campaign_messages_total{state="unknown"}': steady(2) }, { 'campaign_messages_total{state="sent"}': growing(2) }],
  },
  {
    alert: 'PlatformMailRefused',
    fires: {
      'campaign_messages_total{state="sent"}': growing(90),
      'campaign_messages_total{state="bounced"}': growing(6),
      'campaign_messages_total{state="failed"}': growing(4),
    },
    severity: 'critical',
    summary: 'More than 5% of emails are rejected, which harms the reputation of the sender.',
    silent: [
      { 'campaign_messages_total{state="sent"}': growing(99), 'campaign_messages_total{state="bounced"}': growing(1) },
      { 'campaign_messages_total{state="sent"}': growing(1), 'campaign_messages_total{state="deferred"}': growing(50) },
    ],
  },
  {
    alert: 'PlatformMailServerUnavailable',
    fires: {
      'campaign_delivery_attempts_total{outcome="unreachable"}': growing(10),
      'campaign_delivery_attempts_total{outcome="accepted"}': steady(500),
    },
    severity: 'critical',
    summary: 'The mail server is unavailable: no emails can be sent, and due emails wait.',
    silent: [
      {
        'campaign_delivery_attempts_total{outcome="unreachable"}': growing(10),
        'campaign_delivery_attempts_total{outcome="accepted"}': growing(1),
      },
      {
        'campaign_delivery_attempts_total{outcome="unreachable"}': steady(4),
        'campaign_delivery_attempts_total{outcome="accepted"}': steady(500),
      },
    ],
  },
  {
    alert: 'PlatformMailDeferred',
    fires: {
      'campaign_delivery_attempts_total{outcome="deferred"}': growing(3),
      'campaign_delivery_attempts_total{outcome="accepted"}': steady(500),
    },
    severity: 'critical',
    summary: 'The mail server is reachable but defers every email.',
    silent: [
      {
        'campaign_delivery_attempts_total{outcome="deferred"}': growing(30),
        'campaign_delivery_attempts_total{outcome="accepted"}': growing(1),
      },
    ],
  },
  {
    alert: 'PlatformMailWaiting',
    fires: { 'campaign_oldest_queued_email_seconds{kind="message"}': steady(400) },
    labels: { kind: 'message' },
    severity: 'critical',
    summary: 'Emails of kind message have waited more than 300 seconds to be sent.',
    silent: [
      { 'campaign_oldest_queued_email_seconds{kind="message"}': steady(60) },
      { 'campaign_oldest_queued_email_seconds{kind="campaign"}': steady(4_000) },
    ],
  },
  {
    alert: 'PlatformEventsUncounted',
    fires: { 'leadpulse_oldest_pending_event_seconds{pod="a"}': '0+60x60' },
    severity: 'critical',
    summary: 'LeadPulse events have waited more than 300 seconds to be counted: analytics, segments and workflows lag.',
    silent: [{ 'leadpulse_oldest_pending_event_seconds{pod="a"}': steady(60) }],
  },
  {
    alert: 'PlatformEventsSetAside',
    fires: { leadpulse_set_aside_events: steady(1) },
    severity: 'warning',
    summary: 'LeadPulse set aside events that it cannot count.',
    silent: [{ leadpulse_set_aside_events: steady(0) }],
  },
  {
    alert: 'PlatformRunsOverdue',
    fires: { 'workflow_oldest_overdue_seconds{timer="run"}': steady(400) },
    labels: { timer: 'run' },
    severity: 'critical',
    summary: 'A workflow run has been due for more than 300 seconds.',
    silent: [{ 'workflow_oldest_overdue_seconds{timer="run"}': steady(20) }],
  },
  {
    alert: 'PlatformSegmentTimersOverdue',
    fires: { segment_oldest_overdue_evaluation_seconds: steady(400) },
    severity: 'warning',
    summary: 'Segments that change with time are more than 300 seconds out of date.',
    silent: [{ segment_oldest_overdue_evaluation_seconds: steady(20) }],
  },
  {
    alert: 'PlatformWebhooksUnanswered',
    fires: {
      'webhook_requests_total{kind="delivery",outcome="unanswered"}': growing(6),
      'webhook_requests_total{kind="step",outcome="delivered"}': growing(4),
    },
    severity: 'warning',
    summary: 'More than 50% of webhook requests get no response or a 5xx status.',
    silent: [
      {
        'webhook_requests_total{kind="delivery",outcome="unanswered"}': growing(4),
        'webhook_requests_total{kind="step",outcome="delivered"}': growing(6),
      },
      { 'webhook_requests_total{kind="delivery",outcome="rejected"}': growing(9) },
    ],
  },
  {
    alert: 'PlatformJobsWaiting',
    fires: { 'contacts_oldest_waiting_job_seconds{kind="import"}': steady(1000) },
    labels: { kind: 'import' },
    severity: 'warning',
    summary: 'A job of kind import has waited more than 900 seconds for a worker.',
    silent: [{ 'contacts_oldest_waiting_job_seconds{kind="import"}': steady(600) }],
  },
  {
    alert: 'PlatformErasureOpen',
    fires: { contacts_oldest_open_erasure_seconds: steady(90000) },
    severity: 'warning',
    summary: 'An erasure has been open for more than 86400 seconds: a service has not confirmed it.',
    silent: [{ contacts_oldest_open_erasure_seconds: steady(80000) }],
  },
  {
    alert: 'PlatformAccountDeletionOpen',
    fires: { gateway_oldest_open_account_deletion_seconds: steady(90000) },
    severity: 'warning',
    summary: 'The deletion of an account has been open for more than 86400 seconds since its grace period.',
    silent: [{ gateway_oldest_open_account_deletion_seconds: steady(80000) }],
  },
];
