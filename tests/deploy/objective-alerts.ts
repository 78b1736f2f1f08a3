import { type AlertCase, growing, steady } from './alert-case.ts';

/** Quotas, the load of a process, and the service level objectives. */
export const objectiveAlerts: readonly AlertCase[] = [
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
      {
        'event_age_seconds_bucket{lane="bulk",le="300"}': growing(100),
        'event_age_seconds_count{lane="bulk"}': growing(1_000),
        'event_age_seconds_bucket{lane="live",le="300"}': growing(1_000),
        'event_age_seconds_count{lane="live"}': growing(1_000),
      },
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
