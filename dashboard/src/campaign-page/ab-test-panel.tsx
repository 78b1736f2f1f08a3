import { Badge, Button, Group, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { metricNames } from '../campaign-editor/ab-test-fields.tsx';
import { type Campaign, useSelectWinner } from '../campaigns/campaigns.ts';
import { useReportBy } from '../campaigns/report.ts';
import { ConfirmItemDialog } from '../dialogs/confirm-item-dialog.tsx';
import { subjectInWords } from '../email-design/merge-fields.ts';
import { count, shareInColumn } from '../numbers/format-number.ts';
import { Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { comparisonLabel, winnerLabel } from './significance.ts';

/** The variants of an A/B test beside each other; renders nothing without a test. */
export function AbTestPanel({ campaign }: { campaign: Campaign }) {
  const { ab_test, ab_result, subject } = campaign;
  const { data: items } = useReportBy(campaign, 'variant', ab_test !== null);
  const { may } = usePermission();
  const select = useSelectWinner(campaign.id);
  const [chosen, setChosen] = useState<{ id: string; name: string }>();
  if (ab_test === null) return null;
  const winner = ab_result?.winner ?? null;
  const isSending = campaign.status === 'sending' || campaign.status === 'paused';
  const restWaits = isSending && ab_test.sample_percent < 100;
  const isCompared = ab_result !== null && ab_result.significance !== null;
  const isOpen = winner === null && may('campaigns:send') && (isSending || campaign.status === 'sent');
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
              {isCompared && <Table.Th ta="end">Against the winner</Table.Th>}
              {isOpen && <Table.Th ta="end">Winner</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {ab_test.variants.map((variant) => {
              const item = items?.find((one) => one.variant === variant.id);
              const compared = ab_result?.variants.find(({ id }) => id === variant.id);
              return (
                <Table.Tr key={variant.id}>
                  <Table.Td>
                    <Group gap="xs">
                      <span>{subjectInWords(variant.subject ?? subject)}</span>
                      {variant.id === winner && <Badge size="sm">Winner</Badge>}
                    </Group>
                    <Text size="xs" c="dimmed">
                      Variant {variant.id.toUpperCase()}
                    </Text>
                  </Table.Td>
                  <Table.Td ta="end">{count(item?.counts?.accepted ?? 0)}</Table.Td>
                  <Table.Td ta="end">{shareInColumn(item?.rates?.open?.value ?? null)}</Table.Td>
                  <Table.Td ta="end">{shareInColumn(item?.rates?.click?.value ?? null)}</Table.Td>
                  <Table.Td ta="end">{shareInColumn(item?.rates?.conversion?.value ?? null)}</Table.Td>
                  {isCompared && <Table.Td ta="end">{compared && comparisonLabel(compared, ab_result)}</Table.Td>}
                  {isOpen && (
                    <Table.Td ta="end">
                      <Button
                        variant="default"
                        size="xs"
                        aria-label={`Select variant ${variant.id.toUpperCase()}`}
                        onClick={() => setChosen({ id: variant.id, name: `Variant ${variant.id.toUpperCase()}` })}
                      >
                        Select
                      </Button>
                    </Table.Td>
                  )}
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="sm" c="dimmed" mt="xs">
        {winner === null || !ab_result?.selected_at ? (
          `${ab_test.sample_percent}% of the audience gets a variant. ${waiting(ab_test)}`
        ) : (
          <>
            Selected <RelativeTime at={ab_result.selected_at} />. {winnerLabel(ab_result)}
          </>
        )}
      </Text>
      <ConfirmItemDialog
        item={chosen}
        onClose={() => setChosen(undefined)}
        mutation={select}
        title={restWaits ? 'Send this variant to the rest?' : 'Select this variant?'}
        confirm="Select the winner"
        failed="Couldn't select the winner"
        done="was selected."
      >
        {({ name }) =>
          `${restWaits ? `${name} goes to the contacts that haven’t received an email yet. ` : ''}You can’t change the winner later.`
        }
      </ConfirmItemDialog>
    </Panel>
  );
}

function waiting({ selection, metric, sample_percent }: NonNullable<Campaign['ab_test']>) {
  const hasRest = sample_percent < 100;
  if (selection === 'manual') return hasRest ? 'The rest waits until you select a winner.' : 'You select the winner.';
  return `${hasRest ? 'The rest gets' : 'The winner is'} the one with the best result: ${metricNames[metric].toLowerCase()} per accepted email.`;
}
