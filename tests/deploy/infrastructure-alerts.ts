import { type AlertCase, growing, steady } from './alert-case.ts';

/** Services, databases, NATS, and the events between services. */
export const infrastructureAlerts: readonly AlertCase[] = [
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
    fires: { 'consumer_lag_events{consumer="segments-contacts",lane="bulk"}': steady(20_000) },
    labels: { consumer: 'segments-contacts', lane: 'bulk' },
    severity: 'warning',
    summary: 'segments-contacts is more than 10000 events behind in the bulk lane.',
    silent: [
      {
        'consumer_lag_events{consumer="segments-contacts",lane="live"}': steady(9_000),
        'consumer_lag_events{consumer="segments-contacts",lane="bulk"}': steady(9_000),
      },
    ],
  },
  {
    alert: 'PlatformLiveEventsLate',
    // One late event of a small account, while a hundred thousand of another one are on time.
    fires: {
      'consumer_oldest_event_seconds{consumer="segments-contacts",lane="live",pod="a"}': '0+60x60',
      'consumer_oldest_event_seconds{consumer="segments-contacts",lane="live",pod="b"}': steady(0),
      'event_age_seconds_bucket{le="300",lane="live"}': growing(100_000),
      'event_age_seconds_count{lane="live"}': growing(100_000),
    },
    labels: { consumer: 'segments-contacts' },
    severity: 'critical',
    summary: 'A change has waited more than 300 seconds for segments-contacts, which is not due to an import.',
    silent: [
      { 'consumer_oldest_event_seconds{consumer="segments-contacts",lane="bulk"}': '0+60x60' },
      { 'consumer_oldest_event_seconds{consumer="segments-contacts",lane="live"}': steady(200) },
    ],
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
];
