import { Table, Text } from '@mantine/core';
import { count, share } from '../numbers/format-number.ts';
import classes from './breakdown-table.module.css';
import type { Analytics } from './leadpulse.ts';

/** A breakdown of the traffic, largest first, with bars in proportion. */
export function BreakdownTable({ breakdown }: { breakdown: Analytics['breakdown'] }) {
  if (!breakdown || breakdown.items.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No data for this breakdown.
      </Text>
    );
  const { items, truncated } = breakdown;
  const byVisitors = items.every(({ visitors }) => visitors !== null);
  const sizeOf = ({ visitors, events }: (typeof items)[number]) => (byVisitors ? (visitors ?? 0) : events);
  const biggest = Math.max(1, ...items.map(sizeOf));

  return (
    <>
      <div className={classes.scroll}>
        <Table aria-label="Breakdown" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Value</Table.Th>
              {byVisitors && <Table.Th ta="end">Visitors</Table.Th>}
              <Table.Th ta="end">Page views</Table.Th>
              <Table.Th ta="end">Events</Table.Th>
              {byVisitors && <Table.Th ta="end">Bounce rate</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.slice(0, 50).map((item) => (
              <Table.Tr key={item.value}>
                <Table.Td className={classes.value}>
                  <span className={classes.bar} style={{ width: `${(sizeOf(item) / biggest) * 100}%` }} aria-hidden />
                  <span className={classes.word}>{item.value || 'unknown'}</span>
                </Table.Td>
                {byVisitors && <Table.Td ta="end">{count(item.visitors ?? 0)}</Table.Td>}
                <Table.Td ta="end">{count(item.pageviews)}</Table.Td>
                <Table.Td ta="end">{count(item.events)}</Table.Td>
                {byVisitors && <Table.Td ta="end">{share(item.bounce_rate?.value)}</Table.Td>}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {(truncated || items.length > 50) && (
        <Text size="xs" c="dimmed" mt="xs">
          Only the largest values are shown.
        </Text>
      )}
    </>
  );
}
