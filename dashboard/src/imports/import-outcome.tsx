import { Alert, Anchor, List, Progress, Stack, Table, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { count, counted, share } from '../numbers/format-number.ts';
import { Metric, Metrics } from '../numbers/metric.tsx';
import { TextLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import { useSegment } from '../segments/segments.ts';
import { targetLabel } from './column-mapping.ts';
import classes from './column-table.module.css';
import { ImportStatus } from './import-status.tsx';
import { type Import, type ImportDetail, isInProgress, useImport, useRowErrors } from './imports.ts';

/** Progress and results of an import, with the rows that failed. */
export function ImportOutcome({ id }: { id: string }) {
  const { data: job, error, refetch } = useImport(id);
  if (error) return <ErrorAlert error={error} title="Couldn't load the import" onRetry={() => void refetch()} />;
  if (!job) return <Outline of="the import" shape="report" />;
  const { rows, mapping, progress, status } = job;
  return (
    <Stack gap="lg">
      <Panel title={job.dry_run ? 'Test results' : 'Results'} action={<ImportStatus status={status} />}>
        <Stack gap="md">
          {isInProgress(status) && (
            <div>
              <Progress value={progress * 100} animated size="lg" aria-label="Import progress" />
              <Text size="sm" mt="xs" role="status">
                {counted(rows.read, 'row')} read
              </Text>
            </div>
          )}
          {!isInProgress(status) && job.consequences && <Following job={job} consequences={job.consequences} />}
          {job.error && <ErrorAlert error={new Error(job.error.message)} title="Couldn't read the whole file" />}
          {job.warnings.length > 0 && <Unmatched columns={job.warnings.map(({ column }) => column)} />}
          <Metrics label="Rows">
            <Metric label={job.dry_run ? 'Would be new' : 'New'} value={count(rows.created)} />
            <Metric label={job.dry_run ? 'Would be updated' : 'Updated'} value={count(rows.updated)} />
            <Metric label="Unchanged" value={count(rows.unchanged)} />
            <Metric label="Failed" value={count(rows.failed)} />
          </Metrics>
          {job.add_to_segment_id && !job.dry_run && <AddedTo segmentId={job.add_to_segment_id} />}
        </Stack>
      </Panel>
      {rows.failed > 0 && !isInProgress(status) && <RowErrors job={job} />}
      {mapping && <ColumnTargets mapping={mapping} />}
    </Stack>
  );
}

/** Where the values of each column went. */
const ColumnTargets = ({ mapping }: { mapping: NonNullable<ImportDetail['mapping']> }) => (
  <Panel title="Columns">
    <List size="sm" aria-label="Columns">
      {Object.entries(mapping).map(([column, target]) => (
        <List.Item key={column}>
          {column} →{' '}
          <Text span inherit {...(target === null && { c: 'dimmed' })}>
            {targetLabel(target)}
          </Text>
        </List.Item>
      ))}
    </List>
  </Panel>
);

/** Whether segments reflect the import yet. */
function Following({ job, consequences }: { job: Import; consequences: NonNullable<ImportDetail['consequences']> }) {
  const imported = job.status === 'completed' ? 'Contacts imported. ' : '';
  const { status, progress } = consequences;
  if (status === 'applied')
    return (
      <Text size="sm" role="status">
        {imported}Segments are up to date.
      </Text>
    );
  return (
    <div>
      <Progress value={progress * 100} animated size="lg" aria-label="Progress of segments" />
      <Text size="sm" mt="xs" role="status">
        {imported}Segments are being brought up to date…{progress > 0 && ` ${share(progress)}`}
      </Text>
    </div>
  );
}

function AddedTo({ segmentId }: { segmentId: string }) {
  const { data: segment } = useSegment(segmentId);
  return (
    <Text size="sm">
      The contacts are added to the segment{' '}
      <TextLink to="/segments/$id" params={{ id: segmentId }}>
        {segment?.name ?? segmentId}
      </TextLink>
      .
    </Text>
  );
}

const maxNamed = 20;

/** The columns that were skipped because no field matches their name. Only imports over the API skip columns this way. */
const Unmatched = ({ columns }: { columns: readonly string[] }) => (
  <Alert color="yellow" variant="light" role="note" title={`${counted(columns.length, 'column')} not imported`}>
    No field matches {columns.slice(0, maxNamed).join(', ')}
    {columns.length > maxNamed && ` and ${count(columns.length - maxNamed)} more`}. Import the file again and choose a field for each.
  </Alert>
);

function RowErrors({ job }: { job: Import }) {
  const { data: errors, error, refetch } = useRowErrors(job);
  return (
    <Panel
      title="Failed rows"
      action={
        job.errors_url && (
          <Anchor size="sm" href={job.errors_url} download>
            Download all as CSV
          </Anchor>
        )
      }
    >
      {error && <ErrorAlert error={error} title="Couldn't load the failed rows" onRetry={() => void refetch()} />}
      {!errors && !error && <Outline of="the failed rows" shape="rows" />}
      {errors && (
        <div className={classes.scroll}>
          <Table aria-label="Failed rows" verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Row</Table.Th>
                <Table.Th>Field</Table.Th>
                <Table.Th>Error</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {errors.map(({ row, field, message }) => (
                <Table.Tr key={`${row} ${field} ${message}`}>
                  <Table.Th scope="row">{row}</Table.Th>
                  <Table.Td>{field}</Table.Td>
                  <Table.Td className={classes.word}>{message}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {errors && job.rows.failed > errors.length && (
        <Text size="xs" c="dimmed" mt="xs">
          Showing the first {count(errors.length)} of {count(job.rows.failed)}.
        </Text>
      )}
    </Panel>
  );
}
