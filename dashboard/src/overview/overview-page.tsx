import { Alert, List, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorAlert } from '../api/error-alert.tsx';
import { CampaignStatus } from '../campaigns/campaign-status.tsx';
import { type CampaignSummary, useCampaignAnalytics, useCampaigns } from '../campaigns/campaigns.ts';
import { DayChart } from '../charts/day-chart.tsx';
import { useContactCount } from '../contacts/contacts.ts';
import { useLiveVisitors, useTraffic } from '../leadpulse/leadpulse.ts';
import { count, share } from '../numbers/format-number.ts';
import { LinkedMetric, Metrics } from '../numbers/metric.tsx';
import { usePermission } from '../session/permission.ts';
import { sessionQuery } from '../session/session-query.ts';
import { DefaultConsentNotice } from '../settings/default-consent-notice.tsx';
import { TextLink } from '../shell/button-link.tsx';
import { Page } from '../shell/page.tsx';
import { Columns, Panel } from '../shell/panel.tsx';
import { useUsage } from '../usage/usage.ts';
import { WorkflowStatus } from '../workflows/workflow-status.tsx';
import { useWorkflowAnalytics, useWorkflows, type Workflow } from '../workflows/workflows.ts';
import classes from './overview-page.module.css';

const weekMs = 7 * 86_400_000;
/** Midnight UTC a week ago, so that the query key is stable for the whole day. */
const weekAgo = () => `${new Date(Date.now() - weekMs).toISOString().slice(0, 10)}T00:00:00Z`;

/** The account at a glance; each metric links to the page it comes from. */
export function OverviewPage() {
  const { isAdmin } = usePermission();
  const { data: session } = useQuery(sessionQuery);
  const usage = useUsage(isAdmin);
  const contacts = useContactCount();
  const newContacts = useContactCount(weekAgo());
  const live = useLiveVisitors();
  const error = contacts.error ?? live.error ?? usage.error;

  return (
    <Page title="Overview">
      <Stack gap="lg">
        {session && !session.hasPassword && (
          <Alert color="gray" role="note">
            You signed in with a link.{' '}
            <TextLink to="/you" underline="always">
              Set a password
            </TextLink>{' '}
            to sign in without a link.
          </Alert>
        )}
        {isAdmin && <DefaultConsentNotice />}
        {error && (
          <ErrorAlert
            error={error}
            title="Couldn't load the overview"
            onRetry={() => void Promise.all([contacts.refetch(), live.refetch()])}
          />
        )}
        <Metrics label="At a glance">
          <LinkedMetric
            to="/contacts"
            label="Contacts"
            value={contacts.data === undefined ? undefined : count(contacts.data)}
            under={newContacts.data !== undefined && `${count(newContacts.data)} new in 7 days`}
          />
          <LinkedMetric
            to="/leadpulse"
            label="Current visitors"
            value={live.data && `${count(live.data.count)}${live.data.isMore ? '+' : ''}`}
            under="in the last 5 minutes"
          />
          {isAdmin && (
            <LinkedMetric
              to="/settings/usage"
              label="Requests today"
              value={usage.data && count(usage.data.used)}
              under={usage.data && (usage.data.limit === null ? 'no daily limit' : `of ${count(usage.data.limit)}`)}
            />
          )}
        </Metrics>
        <Traffic />
        <Columns>
          <LatestCampaigns />
          <LatestWorkflows />
        </Columns>
      </Stack>
    </Page>
  );
}

function Traffic() {
  const { data: traffic, error, refetch } = useTraffic({ days: 28 });
  return (
    <Panel title="Visitors, last 28 days" action={<TextLink to="/leadpulse">LeadPulse</TextLink>}>
      {error && <ErrorAlert error={error} title="Couldn't load the traffic" onRetry={() => void refetch()} />}
      {!traffic && !error && <Skeleton height={260} role="status" aria-label="Loading the traffic" />}
      {traffic && (
        <DayChart
          label="Visitors by day"
          names={['Visitors']}
          days={traffic.series.map(({ start, visitors }) => ({ day: start, values: [visitors ?? 0] }))}
        />
      )}
    </Panel>
  );
}

function LatestCampaigns() {
  const { mayWrite } = usePermission();
  const { rows, isPending, error } = useCampaigns({}, 5);
  return (
    <Panel title="Campaigns" action={<TextLink to="/campaigns">All campaigns</TextLink>}>
      {error && <ErrorAlert error={error} title="Couldn't load the campaigns" />}
      {!isPending && !error && rows.length === 0 && (
        <Text size="sm">
          No campaigns yet.{' '}
          {mayWrite && (
            <TextLink to="/campaigns/new" underline="always">
              Create one
            </TextLink>
          )}
        </Text>
      )}
      <List listStyleType="none" spacing="sm" size="sm">
        {rows.map((campaign) => (
          <List.Item key={campaign.id} className={classes.item}>
            <CampaignLine campaign={campaign} />
          </List.Item>
        ))}
      </List>
    </Panel>
  );
}

function CampaignLine({ campaign }: { campaign: CampaignSummary }) {
  const { data } = useCampaignAnalytics(campaign);
  return (
    <>
      <TextLink to="/campaigns/$id" params={{ id: campaign.id }}>
        {campaign.name}
      </TextLink>
      <Text size="xs" c="dimmed">
        <CampaignStatus status={campaign.status} />
        {data && data.counts.attempted > 0 && (
          <>
            {' '}
            · {count(data.counts.accepted)} accepted · {share(data.rates.open?.value)} opened · {share(data.rates.click?.value)} clicked
          </>
        )}
      </Text>
    </>
  );
}

function LatestWorkflows() {
  const { mayWrite } = usePermission();
  const { rows, isPending, error } = useWorkflows({});
  return (
    <Panel title="Workflows" action={<TextLink to="/workflows">All workflows</TextLink>}>
      {error && <ErrorAlert error={error} title="Couldn't load the workflows" />}
      {!isPending && !error && rows.length === 0 && (
        <Text size="sm">
          No workflows yet.{' '}
          {mayWrite && (
            <TextLink to="/workflows/new" underline="always">
              Create one
            </TextLink>
          )}
        </Text>
      )}
      <List listStyleType="none" spacing="sm" size="sm">
        {rows.slice(0, 5).map((workflow) => (
          <List.Item key={workflow.id} className={classes.item}>
            <WorkflowLine workflow={workflow} />
          </List.Item>
        ))}
      </List>
    </Panel>
  );
}

function WorkflowLine({ workflow }: { workflow: Workflow }) {
  const { data } = useWorkflowAnalytics(workflow.id);
  return (
    <>
      <TextLink to="/workflows/$id" params={{ id: workflow.id }}>
        {workflow.name}
      </TextLink>
      <Text size="xs" c="dimmed">
        <WorkflowStatus status={workflow.status} />
        {data && (
          <>
            {' '}
            · {count(data.counts.open)} in progress · {count(data.counts.completed)} completed
            {data.counts.failed > 0 && ` · ${count(data.counts.failed)} failed`}
          </>
        )}
      </Text>
    </>
  );
}
