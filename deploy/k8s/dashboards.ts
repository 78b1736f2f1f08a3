import { type ServiceName, serviceNames } from '@mp/contracts/services';

/** What a panel shows: a title, a Grafana unit, and PromQL expressions with their legends. */
type Panel = {
  title: string;
  unit: 's' | 'short' | 'percentunit' | 'bytes' | 'reqps';
  series: readonly (readonly [expr: string, legend: string])[];
  /** Which values come first in the legend, because they say that something is wrong; by default the highest. */
  alarming?: 'lowest';
};

/** The axis of a panel whose values are all below ends here, or a panel of zeros would end at 100 seconds or 10,000 %. */
const softMax: Record<Panel['unit'], number> = { s: 1, short: 1, percentunit: 0.05, bytes: 1_048_576, reqps: 1 };

type Dashboard = { file: string; title: string; panels: readonly Panel[] };

const rate = '$__rate_interval';
/** The labels of a selector: those of the namespace, and further ones. */
const of = (metric: string, labels = '') => `${metric}{namespace="$namespace"${labels && `, ${labels}`}}`;
const rateOf = (metric: string, by: string, labels = '') => `sum by (${by}) (rate(${of(metric, labels)}[${rate}]))`;
const quantile = (share: number, metric: string, by: string, labels = '') =>
  `histogram_quantile(${share}, ${rateOf(`${metric}_bucket`, `le, ${by}`, labels)})`;
const max = (metric: string, by: string, labels = '') => `max by (${by}) (${of(metric, labels)})`;
const sumOf = (metric: string) => `sum(rate(${metric}[${rate}]))`;
const share = (part: string, whole: string) => `${sumOf(part)} / ${sumOf(whole)}`;

const overview: Dashboard = {
  file: 'overview',
  title: 'Marketing platform',
  panels: [
    {
      title: 'Firing alerts',
      unit: 'short',
      series: [['count by (alertname) (ALERTS{alertstate="firing", alertname=~"Platform.*"})', '{{alertname}}']],
    },
    {
      title: 'Failed requests',
      unit: 'percentunit',
      // No request has failed yet: no series, instead of one that is 0.
      series: [
        [`(${sumOf(of('gateway_requests_total', 'status=~"5..|broken"'))} or vector(0)) / ${sumOf(of('gateway_requests_total'))}`, 'share'],
      ],
    },
    {
      title: 'Slow requests',
      unit: 'percentunit',
      series: [
        [
          `1 - ${share(of('gateway_request_duration_seconds_bucket', 'le="2.5"'), of('gateway_request_duration_seconds_count'))}`,
          'over 2.5 s',
        ],
      ],
    },
    {
      title: 'Late events',
      unit: 'percentunit',
      series: [
        [
          `1 - ${share(of('event_age_seconds_bucket', 'lane!="bulk", le="300"'), of('event_age_seconds_count', 'lane!="bulk"'))}`,
          'over 5 min',
        ],
      ],
    },
    { title: 'Requests by status', unit: 'reqps', series: [[rateOf('gateway_requests_total', 'status'), '{{status}}']] },
    {
      title: 'Dependencies',
      unit: 'short',
      series: [[`min by (service, dependency) (${of('dependency_up')})`, '{{service}} {{dependency}}']],
      alarming: 'lowest',
    },
    { title: 'Oldest unpublished event', unit: 's', series: [[max('outbox_oldest_event_seconds', 'service'), '{{service}}']] },
    { title: 'Consumer lag', unit: 'short', series: [[max('consumer_lag_events', 'consumer, lane'), '{{consumer}} {{lane}}']] },
    {
      title: 'Oldest waiting event',
      unit: 's',
      series: [[max('consumer_oldest_event_seconds', 'consumer, lane'), '{{consumer}} {{lane}}']],
    },
    { title: 'Dead letters', unit: 'short', series: [[max('dead_letters', 'consumer'), '{{consumer}}']] },
    {
      title: 'New dead letters',
      unit: 'short',
      series: [[`sum by (consumer) (increase(${of('events_consumed_total', 'outcome="dead_lettered"')}[1h]))`, '{{consumer}} in an hour']],
    },
    { title: 'Oldest queued email', unit: 's', series: [[max('campaign_oldest_queued_email_seconds', 'kind'), '{{kind}}']] },
    { title: 'Overdue runs and schedules', unit: 's', series: [[max('workflow_oldest_overdue_seconds', 'timer'), '{{timer}}']] },
    { title: 'Webhook requests by outcome', unit: 'reqps', series: [[rateOf('webhook_requests_total', 'outcome'), '{{outcome}}']] },
    { title: 'Longest wait of a job', unit: 's', series: [[max('contacts_oldest_waiting_job_seconds', 'kind'), '{{kind}}']] },
    { title: 'Oldest open erasure', unit: 's', series: [[`max(${of('contacts_oldest_open_erasure_seconds')})`, 'age']] },
    { title: 'Versions', unit: 'short', series: [[`count by (service, version) (${of('build_info')})`, '{{service}} {{version}}']] },
    { title: 'Maintenance', unit: 'short', series: [[max('service_maintenance', 'service'), '{{service}}']] },
  ],
};

/** What every service has. */
function common(service: ServiceName): Panel[] {
  const own = `service="${service}"`;
  return [
    {
      title: 'Requests by route',
      unit: 'reqps',
      series: [
        [
          rateOf('http_server_request_duration_seconds_count', 'http_request_method, http_route', own),
          '{{http_request_method}} {{http_route}}',
        ],
      ],
    },
    {
      title: 'Failed requests by route',
      unit: 'reqps',
      series: [
        [
          rateOf(
            'http_server_request_duration_seconds_count',
            'http_request_method, http_route, http_response_status_code',
            `${own}, http_response_status_code=~"5.."`,
          ),
          '{{http_response_status_code}} {{http_request_method}} {{http_route}}',
        ],
      ],
    },
    {
      title: '99th percentile by route',
      unit: 's',
      series: [
        [
          quantile(0.99, 'http_server_request_duration_seconds', 'http_request_method, http_route', own),
          '{{http_request_method}} {{http_route}}',
        ],
      ],
    },
    { title: 'Consumer lag', unit: 'short', series: [[max('consumer_lag_events', 'consumer, lane', own), '{{consumer}} {{lane}}']] },
    {
      title: 'Events by outcome',
      unit: 'reqps',
      series: [[rateOf('events_consumed_total', 'consumer, outcome', own), '{{consumer}} {{outcome}}']],
    },
    {
      title: 'Age of events, 99th percentile',
      unit: 's',
      series: [[quantile(0.99, 'event_age_seconds', 'consumer, lane', own), '{{consumer}} {{lane}}']],
    },
    {
      title: 'Outbox',
      unit: 's',
      series: [[`max(${of('outbox_oldest_event_seconds', own)})`, 'oldest unpublished event']],
    },
    {
      title: 'Events published',
      unit: 'reqps',
      series: [[`sum(rate(${of('outbox_published_events_total', own)}[${rate}]))`, 'published']],
    },
    { title: 'Losses of the stream', unit: 'short', series: [[`max(${of('stream_losses', own)})`, 'losses']] },
    {
      title: 'Connections to MongoDB',
      unit: 'short',
      series: [
        [`sum by (pod, db_client_connection_state) (${of('db_client_connection_count', own)})`, '{{pod}} {{db_client_connection_state}}'],
        [`sum by (pod) (${of('db_client_connection_pending_requests', own)})`, '{{pod}} waiting operations'],
      ],
    },
    {
      title: 'Dependencies',
      unit: 'short',
      series: [[`min by (pod, dependency) (${of('dependency_up', own)})`, '{{pod}} {{dependency}}']],
      alarming: 'lowest',
    },
    { title: 'CPU', unit: 'percentunit', series: [[`sum by (pod) (rate(${of('process_cpu_seconds_total', own)}[${rate}]))`, '{{pod}}']] },
    { title: 'Memory', unit: 'bytes', series: [[`sum by (pod) (${of('process_resident_memory_bytes', own)})`, '{{pod}}']] },
    { title: 'Event loop lag, 99th percentile', unit: 's', series: [[max('nodejs_eventloop_lag_p99_seconds', 'pod', own), '{{pod}}']] },
  ];
}

const special: Record<ServiceName, readonly Panel[]> = {
  gateway: [
    {
      title: 'Requests by route class and status',
      unit: 'reqps',
      series: [[rateOf('gateway_requests_total', 'route_class, status'), '{{route_class}} {{status}}']],
    },
    { title: 'Rejections by code', unit: 'reqps', series: [[rateOf('gateway_refusals_total', 'code'), '{{code}}']] },
    {
      title: '99th percentile by route class',
      unit: 's',
      series: [[quantile(0.99, 'gateway_request_duration_seconds', 'route_class'), '{{route_class}}']],
    },
    { title: 'Open circuits', unit: 'short', series: [[max('gateway_circuit_open', 'upstream'), '{{upstream}}']] },
    { title: 'Requests waiting for a connection', unit: 'short', series: [[max('gateway_waiting_requests', 'upstream'), '{{upstream}}']] },
    { title: 'Request bodies in memory', unit: 'bytes', series: [[max('gateway_request_body_bytes', 'pod'), '{{pod}}']] },
    { title: 'Largest share of a daily quota', unit: 'percentunit', series: [[max('gateway_quota_used_ratio', 'plan'), '{{plan}}']] },
    {
      title: 'Oldest open account deletion',
      unit: 's',
      series: [[`max(${of('gateway_oldest_open_account_deletion_seconds')})`, 'after its grace period']],
    },
  ],
  contacts: [
    { title: 'Unfinished jobs', unit: 'short', series: [[max('contacts_unfinished_jobs', 'kind'), '{{kind}}']] },
    { title: 'Longest wait of a job', unit: 's', series: [[max('contacts_oldest_waiting_job_seconds', 'kind'), '{{kind}}']] },
    { title: 'Oldest open erasure', unit: 's', series: [[`max(${of('contacts_oldest_open_erasure_seconds')})`, 'age']] },
  ],
  segments: [
    { title: 'Overdue evaluations', unit: 's', series: [[`max(${of('segment_oldest_overdue_evaluation_seconds')})`, 'earliest']] },
    { title: 'Evaluations', unit: 'reqps', series: [[`sum(rate(${of('segment_evaluations_total')}[${rate}]))`, 'evaluations']] },
  ],
  campaigns: [
    { title: 'Delivery attempts', unit: 'reqps', series: [[rateOf('campaign_delivery_attempts_total', 'outcome'), '{{outcome}}']] },
    { title: 'Emails by state', unit: 'reqps', series: [[rateOf('campaign_messages_total', 'state'), '{{state}}']] },
    { title: 'Oldest queued email', unit: 's', series: [[max('campaign_oldest_queued_email_seconds', 'kind'), '{{kind}}']] },
  ],
  leadpulse: [
    { title: 'Events not counted yet', unit: 'short', series: [[`max(${of('leadpulse_pending_events')})`, 'events']] },
    { title: 'Oldest event not counted yet', unit: 's', series: [[`max(${of('leadpulse_oldest_pending_event_seconds')})`, 'age']] },
    { title: 'Events set aside', unit: 'short', series: [[`max(${of('leadpulse_set_aside_events')})`, 'events']] },
  ],
  workflows: [
    { title: 'Overdue runs', unit: 'short', series: [[`max(${of('workflow_overdue_runs')})`, 'runs']] },
    { title: 'Overdue runs and schedules', unit: 's', series: [[max('workflow_oldest_overdue_seconds', 'timer'), '{{timer}}']] },
    {
      title: 'Webhook requests by outcome',
      unit: 'reqps',
      series: [[rateOf('webhook_requests_total', 'kind, outcome'), '{{kind}} {{outcome}}']],
    },
  ],
};

const titleOf = (name: string) => (name === 'leadpulse' ? 'LeadPulse' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`);

/** An overview, and a dashboard for each service. */
export const dashboards: readonly Dashboard[] = [
  overview,
  ...serviceNames.map((name) => ({ file: name, title: titleOf(name), panels: [...special[name], ...common(name)] })),
];

const datasource = { type: 'prometheus', uid: '$datasource' };

/** The dashboard as Grafana imports it: three panels in a row. */
export function grafanaJson({ file, title, panels }: Dashboard): string {
  const variables = [
    { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
    { name: 'namespace', label: 'Namespace', type: 'query', datasource, refresh: 1, query: 'label_values(build_info, namespace)' },
  ];
  const dashboard = {
    uid: `marketing-platform-${file}`,
    title: file === 'overview' ? title : `Marketing platform: ${title}`,
    tags: ['marketing-platform'],
    links: [
      {
        type: 'dashboards',
        title: 'Marketing platform',
        icon: 'external link',
        tooltip: '',
        targetBlank: false,
        tags: ['marketing-platform'],
        asDropdown: true,
        keepTime: true,
        includeVars: true,
      },
    ],
    schemaVersion: 39,
    editable: false,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: variables },
    panels: panels.map(({ title: heading, unit, series, alarming }, index) => ({
      id: index + 1,
      title: heading,
      type: 'timeseries',
      datasource,
      gridPos: { h: 8, w: 8, x: (index % 3) * 8, y: Math.floor(index / 3) * 8 },
      fieldConfig: {
        defaults: { unit, min: 0, custom: { axisSoftMax: softMax[unit], fillOpacity: 0, showPoints: 'auto' } },
        overrides: [],
      },
      options: {
        // A table, because a list of fifty consumers hides the one that matters.
        legend: {
          displayMode: 'table',
          placement: 'bottom',
          showLegend: true,
          ...(alarming === 'lowest'
            ? { calcs: ['min', 'lastNotNull'], sortBy: 'Min', sortDesc: false }
            : { calcs: ['max', 'lastNotNull'], sortBy: 'Max', sortDesc: true }),
        },
        tooltip: { mode: 'multi', sort: 'desc' },
      },
      targets: series.map(([expr, legendFormat], target) => ({ refId: String.fromCharCode(65 + target), datasource, expr, legendFormat })),
    })),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
