import { Button, Group, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { type Campaign, useLedger } from '../campaigns/campaigns.ts';
import type { Column } from '../lists/list-table.tsx';
import { ListView } from '../lists/list-view.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { useWholeList } from '../lists/use-whole-list.ts';
import { count, money } from '../numbers/format-number.ts';
import { Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { audiences, useSegmentFrom } from './segment-from-campaign.ts';
import { type Buyer, sortBuyers } from './sort-buyers.ts';

const bought = { engagement: 'converted' } as const;

const columnsOf = (campaignId: string): readonly Column<Buyer>[] => [
  {
    name: 'Buyer',
    width: 'minmax(0, 4fr)',
    sort: 'address',
    cell: ({ contact_id, address }) => (
      <RowLink to="/campaigns/$id/messages/$contactId" params={{ id: campaignId, contactId: contact_id }}>
        {address ?? contact_id}
      </RowLink>
    ),
  },
  { name: 'Coupon', width: 'minmax(0, 2fr)', wideOnly: true, cell: ({ coupon_code }) => coupon_code ?? '' },
  { name: 'Orders', width: '82px', alignEnd: true, sort: 'conversions', cell: ({ conversions }) => count(conversions) },
  {
    name: 'Revenue',
    width: 'minmax(104px, 2fr)',
    alignEnd: true,
    sort: 'revenue',
    cell: ({ revenue }) => revenue.map(({ amount, currency }) => money(amount, currency)).join(' + ') || '–',
  },
];

/** To whom a campaign sold: its recipients with a conversion, and what each of them ordered. */
export function Buyers({ campaign }: { campaign: Campaign }) {
  const buyers = useWholeList(useLedger(campaign, bought));
  const [sort, setSort] = useState('-revenue');
  const { mayWrite } = usePermission();
  const { mutate, isPending } = useSegmentFrom(campaign);
  const audience = audiences.find(({ did }) => did === 'converted');

  return (
    <Panel title="Buyers">
      <Stack gap="md">
        {buyers.rows.length > 0 && (
          <Group gap="sm">
            {mayWrite && audience && (
              <Button variant="default" loading={isPending} onClick={() => mutate(audience)}>
                Create segment from buyers
              </Button>
            )}
            <Button
              component="a"
              variant="default"
              leftSection={<IconDownload size={14} aria-hidden />}
              href={`/v2/campaigns/${campaign.id}/ledger/export?${new URLSearchParams(bought)}`}
              download
            >
              Export buyers
            </Button>
          </Group>
        )}
        <ListView
          of="buyers"
          list={{ ...buyers, rows: sortBuyers(buyers.rows, sort) }}
          columns={columnsOf(campaign.id)}
          keyOf={({ id }) => id}
          sort={sort}
          onSort={setSort}
          empty={
            <Text size="sm" c="dimmed">
              No recipient has bought anything after a click in this email yet.
            </Text>
          }
        />
      </Stack>
    </Panel>
  );
}
