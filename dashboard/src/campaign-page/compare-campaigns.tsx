import { Group, NativeSelect, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { type Campaign, useCampaigns } from '../campaigns/campaigns.ts';
import { type Compared, useCampaignMetrics } from '../campaigns/report.ts';
import { count, money, share } from '../numbers/format-number.ts';
import { Panel } from '../page/panel.tsx';

type Row = { name: string; of: (campaign: Compared) => string };

const rows: readonly Row[] = [
  { name: 'Recipients', of: ({ counts }) => count(counts.recipients) },
  { name: 'Accepted', of: ({ counts }) => count(counts.accepted) },
  { name: 'Open rate', of: ({ rates }) => share(rates.open?.value) },
  { name: 'Click rate', of: ({ rates }) => share(rates.click?.value) },
  { name: 'Click-to-open rate', of: ({ rates }) => share(rates.click_to_open?.value) },
  { name: 'Unsubscribe rate', of: ({ rates }) => share(rates.unsubscribe?.value) },
  { name: 'Bounce rate', of: ({ rates }) => share(rates.bounce?.value) },
  { name: 'Conversions', of: ({ counts }) => count(counts.conversions) },
  { name: 'Revenue', of: ({ counts }) => counts.revenue.map(({ amount, currency }) => money(amount, currency)).join(', ') || '–' },
];

/** The campaign beside another one that was sent. */
export function CompareCampaigns({ campaign }: { campaign: Campaign }) {
  const { rows: sent } = useCampaigns({ status: 'sent' });
  const others = sent.filter(({ id }) => id !== campaign.id);
  const [chosen, setChosen] = useState('');
  const [own, other] = [useCampaignMetrics(campaign.id), useCampaignMetrics(chosen === '' ? undefined : chosen)];
  const error = own.error ?? other.error;
  if (others.length === 0) return null;
  return (
    <Panel
      title="Compare"
      action={
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label="Compare with another campaign"
            data={[{ value: '', label: 'Choose a campaign' }, ...others.map(({ id, name }) => ({ value: id, label: name }))]}
            value={chosen}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
        </Group>
      }
    >
      {error && <ErrorAlert error={error} title="Couldn't compare the campaigns" />}
      {chosen === '' && (
        <Text size="sm" c="dimmed">
          Compare the results with those of another campaign.
        </Text>
      )}
      {chosen !== '' && own.data && other.data && (
        <Table aria-label="Comparison" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th />
              <Table.Th ta="end">{own.data.name}</Table.Th>
              <Table.Th ta="end">{other.data.name}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ name, of }) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={400}>
                  {name}
                </Table.Th>
                <Table.Td ta="end">{own.data && of(own.data)}</Table.Td>
                <Table.Td ta="end">{other.data && of(other.data)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
