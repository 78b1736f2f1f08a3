import { Button, Group, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Column } from '../lists/list-table.tsx';
import { ListView } from '../lists/list-view.tsx';
import type { List } from '../lists/use-list.ts';
import { useWholeList } from '../lists/use-whole-list.ts';
import { count, money } from '../numbers/format-number.ts';
import { Panel } from '../page/panel.tsx';
import { type Buyer, sortBuyers, totalOf } from './sort-buyers.ts';

type Props<Row extends Buyer> = {
  list: List<Row>;
  /** The name of a buyer, with a link. */
  named: (buyer: Row) => ReactNode;
  /** What else is known about a purchase. */
  more?: readonly Column<Row>[];
  /** The path of all buyers as CSV. */
  exportUrl: string;
  action?: ReactNode;
  empty: string;
};

/** To whom emails sold, and what each of them ordered. */
export function BuyerList<Row extends Buyer>({ list, named, more = [], exportUrl, action, empty }: Props<Row>) {
  const buyers = useWholeList(list);
  const [sort, setSort] = useState('-revenue');
  const total = buyers.rows.length > 1 ? totalOf(buyers.rows) : undefined;
  const columns: readonly Column<Row>[] = [
    { name: 'Buyer', width: 'minmax(0, 4fr)', sort: 'address', cell: named, ...(total && { total: 'Total' }) },
    ...more,
    ...(buyers.rows.some(({ coupon_code }) => coupon_code)
      ? [{ name: 'Coupon', width: 'minmax(0, 2fr)', wideOnly: true, cell: ({ coupon_code }: Row) => coupon_code ?? '' }]
      : []),
    {
      name: 'Orders',
      width: '82px',
      alignEnd: true,
      sort: 'conversions',
      cell: ({ conversions }) => count(conversions),
      ...(total && { total: count(total.conversions) }),
    },
    {
      name: 'Revenue',
      width: 'minmax(104px, 2fr)',
      alignEnd: true,
      sort: 'revenue',
      cell: ({ revenue }) => moneyOf(revenue) || '–',
      ...(total && { total: moneyOf(total.revenue) || '–' }),
    },
  ];
  return (
    <Panel
      title="Buyers"
      action={
        buyers.rows.length > 0 && (
          <Group gap="xs">
            {action}
            <Button
              component="a"
              size="xs"
              variant="default"
              leftSection={<IconDownload size={14} aria-hidden />}
              href={exportUrl}
              download
            >
              Export buyers
            </Button>
          </Group>
        )
      }
    >
      <ListView
        of="buyers"
        list={{ ...buyers, rows: sortBuyers(buyers.rows, sort) }}
        columns={columns}
        keyOf={({ id }) => id}
        sort={sort}
        onSort={setSort}
        empty={
          <Text size="sm" c="dimmed">
            {empty}
          </Text>
        }
      />
    </Panel>
  );
}

/** Amounts of different currencies, which are not added. */
export const moneyOf = (revenue: Buyer['revenue']) => revenue.map(({ amount, currency }) => money(amount, currency)).join(' + ');
