import { Alert, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { DayChart } from '../charts/day-chart.tsx';
import { useLiveVisitors } from '../leadpulse/leadpulse.ts';
import { count } from '../numbers/format-number.ts';
import { TextLink } from '../page/button-link.tsx';
import { Page } from '../page/page.tsx';
import { Columns, Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { sessionQuery } from '../session/session-query.ts';
import { DefaultConsentNotice } from '../settings/default-consent-notice.tsx';
import { FirstSteps } from './first-steps.tsx';
import { KeyMetrics } from './key-metrics.tsx';
import { LatestCampaigns, LatestWorkflows } from './latest.tsx';
import { NeedsAttention } from './needs-attention.tsx';
import { useVisits } from './overview.ts';
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
        {may('contacts:read') && may('campaigns:read') && <KeyMetrics days={days} />}
        {may('leadpulse:read') && <Traffic days={days} />}
        {session && !session.hasPassword && (
          <Alert color="gray" role="note">
            You signed in with a link.{' '}
            <TextLink to="/you" underline="always">
              Set a password
            </TextLink>{' '}
            to sign in without a link.
          </Alert>
        )}
        {seesSettings && may('contacts:write') && <DefaultConsentNotice />}
        <FirstSteps />
        {may('campaigns:read') && may('workflows:read') && <NeedsAttention days={days} />}
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
      {!traffic && !error && <Outline of="the traffic" shape="chart" />}
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
