import { Box, Table } from '@mantine/core';
import { count, share } from '../numbers/format-number.ts';
import { dayLabel } from '../time/zone.ts';
import classes from './report-charts.module.css';
import type { RetentionResult } from './reports.ts';

/** The strongest shade, so that the text on it stays readable. */
const maxShade = 0.55;

/** The cohorts of a report, each cell shaded by the share that returned. */
export function RetentionChart({ cohorts, interval }: Pick<RetentionResult, 'cohorts' | 'interval'>) {
  const periods = Math.max(0, ...cohorts.map((cohort) => cohort.periods.length));
  return (
    <Box className={classes.scroll} role="group" aria-label="Retention" tabIndex={0}>
      <Table aria-label="Retention" verticalSpacing={6} className={classes.grid}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{interval === 'day' ? 'Day' : `${interval === 'week' ? 'Week' : 'Month'} from`}</Table.Th>
            <Table.Th ta="end">People</Table.Th>
            {Array.from({ length: periods }, (_, period) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a period is its number.
              <Table.Th key={period} ta="end">
                {period}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {cohorts.map(({ start, people, periods: own }) => (
            <Table.Tr key={start}>
              <Table.Th scope="row">{dayLabel(start)}</Table.Th>
              <Table.Td ta="end">{count(people)}</Table.Td>
              {own.map(({ period, returned, complete }) => (
                <Table.Td key={period} ta="end" className={classes.cell} title={complete ? undefined : 'This period is not over yet'}>
                  <span className={classes.shade} style={{ opacity: (returned.value ?? 0) * maxShade }} aria-hidden />
                  <span className={classes.word}>{people === 0 ? '' : `${share(returned.value)}${complete ? '' : '*'}`}</span>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}
