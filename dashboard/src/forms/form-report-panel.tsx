import { Stack, Table, Text } from '@mantine/core';
import { Loaded } from '../api/loaded.tsx';
import { DayChart } from '../charts/day-chart.tsx';
import { count, counted, money, share } from '../numbers/format-number.ts';
import { Metric, Metrics } from '../numbers/metric.tsx';
import { Panel } from '../page/panel.tsx';
import classes from './forms.module.css';
import { type FormReport, useFormReport } from './forms.ts';

const maxRows = 10;

/** What happened with a form in the last 30 days. */
export function FormReportPanel({ id }: { id: string }) {
  const query = useFormReport(id);
  return (
    <Panel title="The last 30 days">
      <Loaded of="the report" query={query}>
        {(report) => <Report report={report} />}
      </Loaded>
    </Panel>
  );
}

function Report({ report: { counts, rates, series, pages, sources, outcome } }: { report: FormReport }) {
  if (counts.views + counts.submissions + counts.confirmations + (outcome?.orders ?? 0) === 0)
    return (
      <Text size="sm" c="dimmed">
        Nobody has seen this form yet.
      </Text>
    );
  return (
    <Stack gap="md">
      <Metrics label="Numbers of the form">
        <Metric label="Views" value={count(counts.views)} />
        <Metric label="Submissions" value={count(counts.submissions)} under={`${share(rates.submission.value)} of the views`} />
        <Metric label="New contacts" value={count(counts.new_contacts)} />
        <Metric label="Confirmed" value={count(counts.confirmations)} under={`${share(rates.confirmation.value)} of those asked`} />
        <Outcome outcome={outcome} />
      </Metrics>
      <DayChart
        label="Views and submissions by day"
        names={['Views', 'Submissions']}
        days={series.map((day) => ({ day: day.from, values: [day.counts.views, day.counts.submissions] }))}
        timeZone="UTC"
      />
      <Rows title="Page" rows={pages.map(({ page, counts: own }) => ({ name: page ?? 'Its own page, or not known', counts: own }))} />
      <Rows title="Source" rows={sources.map(({ source, counts: own }) => ({ name: source ?? 'Direct, or not known', counts: own }))} />
    </Stack>
  );
}

/** What the contacts that the form created have ordered since. */
function Outcome({ outcome }: Pick<FormReport, 'outcome'>) {
  if (!outcome) return <Metric label="Revenue" value="–" under="LeadPulse is unavailable" />;
  const [most, ...others] = outcome.revenue.toSorted((a, b) => b.amount - a.amount).map(({ amount, currency }) => money(amount, currency));
  return <Metric label="Revenue" value={most ?? '–'} under={[...others, counted(outcome.orders, 'order')].join(', ')} />;
}

function Rows({ title, rows }: { title: string; rows: readonly { name: string; counts: FormReport['counts'] }[] }) {
  return (
    <Table aria-label={`By ${title.toLowerCase()}`} verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{title}</Table.Th>
          <Table.Th ta="right">Views</Table.Th>
          <Table.Th ta="right">Submissions</Table.Th>
          <Table.Th ta="right" className={classes.wide ?? ''}>
            Confirmed
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.slice(0, maxRows).map(({ name, counts }) => (
          <Table.Tr key={name}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
            <Table.Td ta="right">{count(counts.views)}</Table.Td>
            <Table.Td ta="right">{count(counts.submissions)}</Table.Td>
            <Table.Td ta="right" className={classes.wide ?? ''}>
              {count(counts.confirmations)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
