/** Values by series (name and labels), one minute apart, in promtool notation. */
type Series = Record<string, string>;

export type AlertCase = {
  alert: string;
  /** The alert fires on these series after `after` minutes, with these labels and this summary … */
  fires: Series;
  after?: number;
  labels?: Record<string, string>;
  severity: 'critical' | 'warning';
  summary: string;
  /** … and stays silent on these. */
  silent: readonly Series[];
};

const growing = (perMinute: number) => `0+${perMinute}x60`;
const steady = (value: number) => `${value}x60`;

/** One case per alert of the chart: series on which it must fire, and series on which it must not. */
export const alertCases: readonly AlertCase[] = [
  {
    alert: 'PlatformServiceDown',
    fires: { 'kube_deployment_status_replicas_available{deployment="test-marketing-platform-contacts"}': steady(0) },
    labels: { deployment: 'test-marketing-platform-contacts', namespace: 'marketing' },
    severity: 'critical',
    summary: 'No pod of test-marketing-platform-contacts is available.',
    silent: [
      { 'kube_deployment_status_replicas_available{deployment="test-marketing-platform-contacts"}': steady(1) },
      { 'kube_deployment_status_replicas_available{deployment="somebody-elses"}': steady(0) },
    ],
  },
  {
    alert: 'PlatformDependencyDown',
    fires: { 'dependency_up{service="contacts",dependency="nats",pod="b"}': steady(0) },
    labels: { service: 'contacts', dependency: 'nats' },
    severity: 'critical',
    summary: 'A pod of contacts is not connected to nats.',
    silent: [{ 'dependency_up{service="contacts",dependency="nats",pod="b"}': steady(1) }],
  },
  {
    alert: 'PlatformDatabasePoolExhausted',
    fires: { 'db_client_connection_pending_requests{service="segments"}': steady(11) },
    labels: { service: 'segments' },
    severity: 'warning',
    summary: 'More than 10 operations of segments wait for a connection to MongoDB.',
    silent: [{ 'db_client_connection_pending_requests{service="segments"}': steady(10) }],
  },
  {
    alert: 'PlatformCircuitOpen',
    fires: {
      'gateway_circuit_open{upstream="segments",pod="a"}': steady(0),
      'gateway_circuit_open{upstream="segments",pod="b"}': steady(1),
    },
    labels: { upstream: 'segments' },
    severity: 'critical',
    summary: 'The circuit to segments is open: its latest requests all failed, and the gateway has paused sending.',
    silent: [{ 'gateway_circuit_open{upstream="segments"}': steady(0) }],
  },
  {
    alert: 'PlatformEventsDeadLettered',
    fires: { 'events_consumed_total{consumer="segments-contacts",outcome="dead_lettered"}': '0x30 1x30' },
    labels: { consumer: 'segments-contacts' },
    severity: 'critical',
    summary: 'Events of segments-contacts were dead-lettered and have not been applied.',
    silent: [
      { 'events_consumed_total{consumer="segments-contacts",outcome="dead_lettered"}': steady(3) },
      { 'events_consumed_total{consumer="segments-contacts",outcome="failed"}': growing(1) },
    ],
  },
  {
    alert: 'PlatformDeadLettersUnresolved',
    fires: { 'dead_letters{consumer="segments-contacts"}': '2x90' },
    after: 90,
    labels: { consumer: 'segments-contacts' },
    severity: 'warning',
    summary: 'Dead letters of segments-contacts still have to be republished or deleted.',
    silent: [{ 'dead_letters{consumer="segments-contacts"}': '2x30 0x60' }],
  },
  {
    alert: 'PlatformOutboxStuck',
    fires: { 'outbox_oldest_event_seconds{service="contacts"}': '0+60x60' },
    labels: { service: 'contacts' },
    severity: 'critical',
    summary: 'Events of contacts have waited more than 300 seconds to be published to NATS.',
    silent: [{ 'outbox_oldest_event_seconds{service="contacts"}': steady(200) }],
  },
  {
    alert: 'PlatformStreamLost',
    // The pod that found the loss is another one than the one before: its own series never grew.
    fires: { 'stream_losses{service="contacts",pod="a"}': '0x60', 'stream_losses{service="contacts",pod="b"}': '_x61 1x60' },
    after: 90,
    labels: { service: 'contacts' },
    severity: 'warning',
    summary: 'NATS lost events of contacts within the last hour; they are being republished from its outbox.',
    silent: [
      { 'stream_losses{service="contacts",pod="a"}': '3x120' },
      { 'stream_losses{service="contacts",pod="a"}': '0x20 1x120' },
      { 'stream_losses{service="contacts",pod="b"}': '_x61 1x60' },
    ],
  },
  {
    alert: 'PlatformOutboxUnread',
    fires: {},
    labels: { namespace: 'marketing' },
    severity: 'critical',
    summary: 'No service has reported its outbox for ten minutes: MongoDB is unavailable, or metrics are not scraped.',
    silent: [{ 'outbox_pending_rows{service="contacts"}': steady(0) }],
  },
  {
    alert: 'PlatformConsumerBehind',
    fires: { 'consumer_lag_events{consumer="segments-contacts"}': steady(20_000) },
    labels: { consumer: 'segments-contacts' },
    severity: 'warning',
    summary: 'segments-contacts is more than 10000 events behind.',
    silent: [{ 'consumer_lag_events{consumer="segments-contacts"}': steady(9_000) }],
  },
  {
    alert: 'PlatformConsumerStuck',
    fires: {
      'consumer_lag_events{consumer="segments-contacts"}': steady(5),
      'events_consumed_total{consumer="segments-contacts",outcome="done"}': steady(70),
      'events_consumed_total{consumer="campaigns-contacts",outcome="done"}': growing(9),
    },
    labels: { consumer: 'segments-contacts' },
    severity: 'critical',
    summary: 'segments-contacts has pending events and is processing none.',
    silent: [
      {
        'consumer_lag_events{consumer="segments-contacts"}': steady(5),
        'events_consumed_total{consumer="segments-contacts",outcome="done"}': growing(1),
      },
      { 'consumer_lag_events{consumer="segments-contacts"}': steady(0) },
    ],
  },
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
  {
    alert: 'PlatformQuotaExceeded',
    fires: { 'gateway_refusals_total{code="QUOTA_EXCEEDED"}': growing(120) },
    severity: 'warning',
    summary: 'Requests are rejected because accounts have exhausted their daily quota.',
    silent: [
      { 'gateway_refusals_total{code="QUOTA_EXCEEDED"}': growing(30) },
      { 'gateway_refusals_total{code="RATE_LIMITED"}': growing(500) },
    ],
  },
  {
    alert: 'PlatformEventLoopBlocked',
    fires: { 'nodejs_eventloop_lag_p99_seconds{service="gateway",pod="gateway-1"}': steady(2) },
    labels: { service: 'gateway', pod: 'gateway-1' },
    severity: 'warning',
    summary: 'The event loop of gateway-1 is blocked, which delays its requests.',
    silent: [{ 'nodejs_eventloop_lag_p99_seconds{service="gateway",pod="gateway-1"}': '0.1x60' }],
  },
  {
    alert: 'PlatformMaintenance',
    fires: { 'service_maintenance{service="campaigns"}': '1x400' },
    after: 390,
    labels: { service: 'campaigns' },
    severity: 'warning',
    summary: 'campaigns has been in MAINTENANCE mode for six hours: emails, webhooks and imports are held.',
    silent: [{ 'service_maintenance{service="campaigns"}': '0x400' }, { 'service_maintenance{service="campaigns"}': '1x200 0x200' }],
  },
  {
    alert: 'PlatformAvailabilityBurnsFast',
    fires: { 'gateway_requests_total{status="200"}': growing(9800), 'gateway_requests_total{status="503"}': growing(200) },
    severity: 'critical',
    summary: 'Too many requests fail with a 5xx status or are aborted: the error budget of 30 days lasts less than five days.',
    silent: [
      { 'gateway_requests_total{status="200"}': growing(9960), 'gateway_requests_total{status="503"}': growing(40) },
      { 'gateway_requests_total{status="404"}': growing(100) },
    ],
  },
  {
    alert: 'PlatformAvailabilityBurnsSlowly',
    fires: { 'gateway_requests_total{status="200"}': growing(9960), 'gateway_requests_total{status="503"}': growing(40) },
    severity: 'warning',
    summary: 'Too many requests fail with a 5xx status or are aborted: the error budget of 30 days will not last.',
    silent: [
      { 'gateway_requests_total{status="200"}': growing(9995), 'gateway_requests_total{status="503"}': growing(5) },
      { 'gateway_requests_total{status="404"}': growing(100) },
    ],
  },
  {
    alert: 'PlatformLatencyBurnsFast',
    fires: { 'gateway_request_duration_seconds_bucket{le="2.5"}': growing(800), gateway_request_duration_seconds_count: growing(1_000) },
    severity: 'critical',
    summary: 'Too many requests take longer than 2.5 seconds: the error budget of 30 days lasts less than five days.',
    silent: [
      { 'gateway_request_duration_seconds_bucket{le="2.5"}': growing(960), gateway_request_duration_seconds_count: growing(1_000) },
      { gateway_request_duration_seconds_count: steady(9) },
    ],
  },
  {
    alert: 'PlatformLatencyBurnsSlowly',
    fires: { 'gateway_request_duration_seconds_bucket{le="2.5"}': growing(960), gateway_request_duration_seconds_count: growing(1_000) },
    severity: 'warning',
    summary: 'Too many requests take longer than 2.5 seconds: the error budget of 30 days will not last.',
    silent: [
      { 'gateway_request_duration_seconds_bucket{le="2.5"}': growing(995), gateway_request_duration_seconds_count: growing(1_000) },
      { gateway_request_duration_seconds_count: steady(9) },
    ],
  },
  {
    alert: 'PlatformFreshnessBurnsFast',
    fires: { 'event_age_seconds_bucket{le="300"}': growing(800), event_age_seconds_count: growing(1_000) },
    severity: 'critical',
    summary: 'Too many events take effect later than after 300 seconds: the error budget of 30 days lasts less than five days.',
    silent: [
      { 'event_age_seconds_bucket{le="300"}': growing(960), event_age_seconds_count: growing(1_000) },
      { event_age_seconds_count: steady(9) },
    ],
  },
  {
    alert: 'PlatformFreshnessBurnsSlowly',
    fires: { 'event_age_seconds_bucket{le="300"}': growing(960), event_age_seconds_count: growing(1_000) },
    severity: 'warning',
    summary: 'Too many events take effect later than after 300 seconds: the error budget of 30 days will not last.',
    silent: [
      { 'event_age_seconds_bucket{le="300"}': growing(995), event_age_seconds_count: growing(1_000) },
      { event_age_seconds_count: steady(9) },
    ],
  },
];
