import { Badge, Group, Table, Text } from '@mantine/core';
import { count, share } from '../numbers/format-number.ts';
import { Panel } from '../shell/panel.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import type { Campaign } from './campaigns.ts';
import { useReportBy } from './report.ts';

const significanceWords = {
  significant: 'The difference is larger than chance explains.',
  not_significant: 'The difference may be chance.',
  not_enough_data: 'There was not enough data to rule out chance.',
};

/** The variants of an A/B test beside each other; renders nothing without a test. */
export function AbTestPanel({ campaign }: { campaign: Campaign }) {
  const { ab_test, ab_result, subject } = campaign;
  const { data: items } = useReportBy(campaign, 'variant', ab_test !== null);
  if (ab_test === null) return null;
  const winner = ab_result?.winner ?? null;
  return (
    <Panel title="A/B test">
      <Table.ScrollContainer minWidth={480}>
        <Table aria-label="A/B test" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Variant</Table.Th>
              <Table.Th ta="end">Accepted</Table.Th>
              <Table.Th ta="end">Opened</Table.Th>
              <Table.Th ta="end">Clicked</Table.Th>
              <Table.Th ta="end">Converted</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {ab_test.variants.map((variant) => {
              const item = items?.find((one) => one.variant === variant.id);
              return (
                <Table.Tr key={variant.id}>
                  <Table.Td>
                    <Group gap="xs">
                      <span>{variant.subject ?? subject}</span>
                      {variant.id === winner && <Badge size="sm">Winner</Badge>}
                    </Group>
                    <Text size="xs" c="dimmed">
                      Variant {variant.id.toUpperCase()}
                    </Text>
                  </Table.Td>
                  <Table.Td ta="end">{count(item?.counts?.accepted ?? 0)}</Table.Td>
                  <Table.Td ta="end">{share(item?.rates?.open?.value ?? null)}</Table.Td>
                  <Table.Td ta="end">{share(item?.rates?.click?.value ?? null)}</Table.Td>
                  <Table.Td ta="end">{share(item?.rates?.conversion?.value ?? null)}</Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="sm" c="dimmed" mt="xs">
        {winner === null || !ab_result?.selected_at ? (
          `${ab_test.sample_percent}% of the audience gets a variant; the rest waits for the one with the most ${ab_test.metric}.`
        ) : (
          <>
            Selected <RelativeTime at={ab_result.selected_at} />. {ab_result.significance && significanceWords[ab_result.significance]}
          </>
        )}
      </Text>
    </Panel>
  );
}
