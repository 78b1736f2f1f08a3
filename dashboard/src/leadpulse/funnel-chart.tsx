import { Box, Table } from '@mantine/core';
import { eventLabel } from '../names/event-labels.ts';
import { count, duration, share } from '../numbers/format-number.ts';
import classes from './report-charts.module.css';
import type { FunnelResult } from './reports.ts';

/** The steps of a funnel, each with a bar of the people who reached it. */
export const FunnelChart = ({ steps }: Pick<FunnelResult, 'steps'>) => (
  <Box className={classes.scroll} role="group" aria-label="Funnel" tabIndex={0}>
    <Table aria-label="Funnel" verticalSpacing={8}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Step</Table.Th>
          <Table.Th ta="end">People</Table.Th>
          <Table.Th ta="end">Of all</Table.Th>
          <Table.Th ta="end">Of the previous step</Table.Th>
          <Table.Th ta="end">Median time</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {steps.map(({ step, name, people, conversion, conversion_from_previous, median_seconds }) => (
          <Table.Tr key={step}>
            <Table.Td className={classes.barCell}>
              <span className={classes.bar} style={{ width: `${(conversion.value ?? 0) * 100}%` }} aria-hidden />
              <span className={classes.word}>
                {step}. {eventLabel(name)}
              </span>
            </Table.Td>
            <Table.Td ta="end">{count(people)}</Table.Td>
            <Table.Td ta="end">{share(conversion.value)}</Table.Td>
            <Table.Td ta="end">{step === 1 ? '' : share(conversion_from_previous.value)}</Table.Td>
            <Table.Td ta="end">{median_seconds === null ? '' : duration(median_seconds)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Box>
);
