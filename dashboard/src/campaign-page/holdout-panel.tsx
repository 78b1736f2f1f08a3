import { Table, Text } from '@mantine/core';
import { type Campaign, useCampaignAnalytics } from '../campaigns/campaigns.ts';
import { count, money, share } from '../numbers/format-number.ts';
import { Panel } from '../page/panel.tsx';
import { significanceLabels } from './significance.ts';

/** The contacts that were emailed beside those that were held out; renders nothing without a hold-out group. */
export function HoldoutPanel({ campaign }: { campaign: Campaign }) {
  const { data } = useCampaignAnalytics(campaign);
  const holdout = data?.holdout;
  if (!holdout) return null;
  const { emailed, held_out, lift, significance, window_days } = holdout;
  const groups = [
    { name: 'Emailed', ...emailed },
    { name: `Held out (${holdout.percent}%)`, ...held_out },
  ];
  return (
    <Panel title="Hold-out group">
      <Table aria-label="Hold-out group" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Group</Table.Th>
            <Table.Th ta="end">Contacts</Table.Th>
            <Table.Th ta="end">Converted</Table.Th>
            <Table.Th ta="end">Rate</Table.Th>
            <Table.Th ta="end">Revenue</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map(({ name, recipients, converted, conversion_rate, revenue }) => (
            <Table.Tr key={name}>
              <Table.Td>{name}</Table.Td>
              <Table.Td ta="end">{count(recipients)}</Table.Td>
              <Table.Td ta="end">{count(converted)}</Table.Td>
              <Table.Td ta="end">{share(conversion_rate)}</Table.Td>
              <Table.Td ta="end">{revenue.map(({ amount, currency }) => money(amount, currency)).join(', ') || '–'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" c="dimmed" mt="xs">
        {lift !== null && `Lift: ${lift > 0 ? '+' : ''}${share(lift)}. `}
        {significance && significanceLabels[significance]} Conversions within {window_days} days count.
      </Text>
    </Panel>
  );
}
