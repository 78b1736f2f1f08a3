import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { optionsOf } from '../form/options.ts';
import { counted } from '../numbers/format-number.ts';
import { Page } from '../page/page.tsx';
import { Panel } from '../page/panel.tsx';
import { CreateFunnelSegment } from './create-funnel-segment.tsx';
import { FunnelChart } from './funnel-chart.tsx';
import { PathsChart } from './paths-chart.tsx';
import { RangeControls } from './range-controls.tsx';
import { ReportForm } from './report-form.tsx';
import { type ReportSearch, reportKinds, reportSearch, requestOf } from './report-search.ts';
import { useReport } from './reports.ts';
import { RetentionChart } from './retention-chart.tsx';
import { SavedReports } from './saved-reports.tsx';

/** Funnels, retention and paths. The whole report is in the URL. */
export function ReportsPage() {
  const search = useSearch({ from: '/signed-in/leadpulse/reports' });
  const navigate = useNavigate();
  const show = (next: Record<string, unknown>) =>
    void navigate({ to: '/leadpulse/reports', search: reportSearch({ ...search, ...next }), resetScroll: false });
  return (
    <Page
      title="Reports"
      describes="How far people get, whether they return, and which paths they take."
      action={<SavedReports search={search} />}
    >
      <Stack gap="lg">
        <SegmentedControl
          aria-label="Type of report"
          w="fit-content"
          data={optionsOf(reportKinds)}
          value={search.kind ?? 'funnel'}
          onChange={(kind) => show({ kind })}
        />
        <RangeControls search={search} onChange={show} />
        {/* A form keeps what was typed, so another report needs another one. */}
        <ReportForm key={JSON.stringify({ ...search, days: 0, from: '', to: '' })} search={search} onShow={show} />
        <Report search={search} />
      </Stack>
    </Page>
  );
}

function Report({ search }: { search: ReportSearch }) {
  const { data: report, error, refetch, isPlaceholderData } = useReport(search);
  const kind = search.kind ?? 'funnel';
  if (requestOf(search) === undefined)
    return <Text c="dimmed">Enter at least two steps: a funnel shows how many people get from each step to the next.</Text>;
  if (error) return <ErrorAlert error={error} title="Couldn't load the report" onRetry={() => void refetch()} />;
  if (!report || (isPlaceholderData && report.kind !== kind)) return <Outline of="the report" shape="report" />;
  return (
    <Panel
      title={reportKinds[report.kind]}
      action={
        <Group gap="sm">
          <Text size="xs" c="dimmed">
            {isPlaceholderData ? 'Updating…' : `From ${counted(report.result.events_read, 'event')}`}
          </Text>
          {report.kind === 'funnel' && report.result.events_read > 0 && !isPlaceholderData && (
            <CreateFunnelSegment search={search} steps={report.result.steps} />
          )}
        </Group>
      }
    >
      {report.result.events_read === 0 && <Text c="dimmed">No matching events in this time range.</Text>}
      {report.result.events_read > 0 && report.kind === 'funnel' && <FunnelChart {...report.result} />}
      {report.result.events_read > 0 && report.kind === 'retention' && <RetentionChart {...report.result} />}
      {report.result.events_read > 0 && report.kind === 'paths' && <PathsChart {...report.result} />}
    </Panel>
  );
}
