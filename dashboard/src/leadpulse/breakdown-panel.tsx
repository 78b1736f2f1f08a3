import { NativeSelect, Table, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { count, share, shareInColumn } from '../numbers/format-number.ts';
import { TextLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import classes from './breakdown-panel.module.css';
import type { BreakdownItem } from './largest-first.ts';
import { type Analytics, sizeLabel, sizeOf, useBreakdown } from './leadpulse.ts';
import {
  type BreakdownName,
  breakdowns,
  type Dimension,
  dimensions,
  filtersIn,
  type TrafficSearch,
  valueText,
  withoutFilters,
} from './leadpulse-search.ts';

type Props = {
  title: string;
  name: BreakdownName;
  search: TrafficSearch;
  /** Undefined while those of another view are shown. */
  totals: Analytics['totals'] | undefined;
};

const maxRows = 10;

/** The traffic of a view by one of some dimensions. Each value is a link that filters the view by it, or ends that filter. */
export function BreakdownPanel({ title, name, search, totals }: Props) {
  const navigate = useNavigate();
  const offered: readonly Dimension[] = breakdowns[name];
  const dimension = search[name] ?? breakdowns[name][0];
  const { data: breakdown, error, refetch, isPlaceholderData } = useBreakdown(search, dimension);
  return (
    <Panel
      title={title}
      action={
        offered.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label={`${title} by`}
            data={offered.map((one) => ({ value: one, label: dimensions[one] }))}
            value={dimension}
            onChange={({ currentTarget: { value } }) => {
              const chosen = offered.find((one) => one === value);
              void navigate({ to: '/leadpulse', search: { ...search, [name]: chosen }, resetScroll: false });
            }}
          />
        )
      }
    >
      {error && <ErrorAlert error={error} title={`Couldn't load this breakdown`} onRetry={() => void refetch()} />}
      {!breakdown && !error && <Outline of={title.toLowerCase()} shape="rows" count={5} />}
      {breakdown && !error && breakdown.items.length === 0 && (
        <Text size="sm" c="dimmed">
          No data for this breakdown.
        </Text>
      )}
      {breakdown && !error && breakdown.items.length > 0 && (
        <Rows title={title} dimension={dimension} search={search} totals={isPlaceholderData ? undefined : totals} {...breakdown} />
      )}
    </Panel>
  );
}

type RowsProps = Omit<Props, 'name'> & { dimension: Dimension; items: readonly BreakdownItem[]; truncated: boolean };

function Rows({ title, dimension, search, totals, items, truncated }: RowsProps) {
  const total = totals?.[sizeOf(dimension)];
  const biggest = Math.max(1, ...items.map(({ size }) => size ?? 0));
  const shown = items.slice(0, maxRows);
  const error = Math.max(0, ...shown.map((item) => item.error));
  return (
    <>
      <Table aria-label={title} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{dimensions[dimension]}</Table.Th>
            <Table.Th className={classes.number}>{sizeLabel(dimension)}</Table.Th>
            <Table.Th className={classes.number}>Share</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(({ value, size }) => {
            const isFilter = search[dimension] === value;
            return (
              <Table.Tr key={value}>
                <Table.Td className={classes.value}>
                  <span className={classes.bar} style={{ width: `${((size ?? 0) / biggest) * 100}%` }} aria-hidden />
                  <TextLink
                    to="/leadpulse"
                    search={isFilter ? withoutFilters(search, dimension) : { ...search, [dimension]: value }}
                    resetScroll={false}
                    className={classes.word}
                    title={isFilter ? 'Remove this filter' : `Filter by ${dimensions[dimension].toLowerCase()}`}
                    aria-current={isFilter ? 'true' : undefined}
                  >
                    {valueText(dimension, value)}
                  </TextLink>
                </Table.Td>
                <Table.Td className={classes.number}>{size === null ? '–' : count(size)}</Table.Td>
                <Table.Td className={classes.number}>{shareInColumn(total && size !== null ? size / total : null)}</Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
      {(truncated || items.length > maxRows) && (
        <Text size="xs" c="dimmed" mt="xs">
          Only the {maxRows} largest values are shown.
        </Text>
      )}
      {sizeOf(dimension) === 'visitors' && (
        <Text size="xs" c="dimmed" mt="xs">
          Shares are of all visitors{filtersIn(search).length > 0 && ' in this view'}. A visitor can be in several rows.
        </Text>
      )}
      {error > 0 && (
        <Text size="xs" c="dimmed" mt="xs">
          Estimated, with a standard error of up to {share(error)}.
        </Text>
      )}
    </>
  );
}
