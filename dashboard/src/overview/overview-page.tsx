import { Alert, List, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorAlert } from '../api/error-alert.tsx';
import { CampaignStatus } from '../campaigns/campaign-status.tsx';
import { type CampaignSummary, useCampaignAnalytics, useCampaigns } from '../campaigns/campaigns.ts';
import { DayChart } from '../charts/day-chart.tsx';
import { useLiveVisitors } from '../leadpulse/leadpulse.ts';
import { count, share } from '../numbers/format-number.ts';
import { TextLink } from '../page/button-link.tsx';
import { Page } from '../page/page.tsx';
import { Columns, Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { sessionQuery } from '../session/session-query.ts';
import { DefaultConsentNotice } from '../settings/default-consent-notice.tsx';
import { WorkflowStatus } from '../workflows/workflow-status.tsx';
import { useWorkflowAnalytics, useWorkflows, type Workflow } from '../workflows/workflows.ts';
import { FirstSteps } from './first-steps.tsx';
import { KeyMetrics } from './key-metrics.tsx';
import { NeedsAttention } from './needs-attention.tsx';
import { useVisits } from './overview.ts';
import classes from './overview-page.module.css';
import { overviewSearch, type Period, periods, rangesOf, usualPeriod } from './period.ts';

/** The account at a glance: what changed, what needs attention, and the latest campaigns and workflows. */
export function OverviewPage() {
  const { may, seesSettings } = usePermission();
  const { data: session } = useQuery(sessionQuery);
  const { days = usualPeriod } = useSearch({ from: '/signed-in/' });
  const navigate = useNavigate();

  return (
    <Page
      title="Overview"
      action={
        <SegmentedControl
          aria-label="Period"
          data={periods.map((one) => ({ value: String(one), label: `${one} days` }))}
          value={String(days)}
          onChange={(value) => void navigate({ to: '/', search: overviewSearch({ days: value }), replace: true })}
        />
      }
    >
      <Stack gap="lg">
        <FirstSteps />
        {may('contacts:read') && may('campaigns:read') && <KeyMetrics days={days} />}
        {session && !session.hasPassword && (
          <Alert color="gray" role="note">
            You signed in with a link.{' '}
            <TextLink to="/you" underline="always">
              Set a password
            </TextLink>{' '}
            to sign in without a link.
          </Alert>
        )}
        {may('leadpulse:read') && <Traffic days={days} />}
        {may('campaigns:read') && may('workflows:read') && <NeedsAttention days={days} />}
        {seesSettings && may('contacts:write') && <DefaultConsentNotice />}
        <Columns>
          {may('campaigns:read') && <LatestCampaigns />}
          {may('workflows:read') && <LatestWorkflows />}
        </Columns>
      </Stack>
    </Page>
  );
}

function Traffic({ days }: { days: Period }) {
  const { data: traffic, error, refetch } = useVisits(rangesOf(days).current);
  const { data: live } = useLiveVisitors();
  const hasEarlier = (traffic?.comparison?.totals.visitors ?? 0) > 0;
  return (
    <Panel
      title={`Visitors, last ${days} days`}
      action={<TextLink to="/leadpulse">{live ? `${count(live.count)}${live.isMore ? '+' : ''} on your site now` : 'LeadPulse'}</TextLink>}
    >
      {error && <ErrorAlert error={error} title="Couldn't load the traffic" onRetry={() => void refetch()} />}
      {!traffic && !error && <Skeleton height={260} role="status" aria-label="Loading the traffic" />}
      {traffic && !hasEarlier && traffic.totals.visitors === 0 && (
        <Text size="sm" c="dimmed">
          No visits in this period.
        </Text>
      )}
      {traffic && (hasEarlier || traffic.totals.visitors !== 0) && (
        <DayChart
          label="Visitors by day"
          names={hasEarlier ? ['Visitors', 'Earlier'] : ['Visitors']}
          days={traffic.series.map(({ start, visitors }, index) => ({
            day: start,
            values: [visitors ?? 0, ...(hasEarlier ? [traffic.comparison?.series[index]?.visitors ?? 0] : [])],
          }))}
        />
      )}
    </Panel>
  );
}

function LatestCampaigns() {
  const { mayWrite } = usePermission('campaigns');
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
  const { mayWrite } = usePermission('workflows');
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
